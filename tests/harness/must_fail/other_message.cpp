// EXPECT: the expected sentence
#ifndef ASHLAR_CONTROL
static_assert(false, "another sentence");
#endif
