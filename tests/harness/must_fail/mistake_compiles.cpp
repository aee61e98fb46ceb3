// EXPECT: anything
int value = 0;
