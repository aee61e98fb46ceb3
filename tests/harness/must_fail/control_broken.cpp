// EXPECT: sentence
static_assert(false, "a sentence");
