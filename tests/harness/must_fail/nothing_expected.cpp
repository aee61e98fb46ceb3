#ifndef ASHLAR_CONTROL
static_assert(false, "a sentence");
#endif
