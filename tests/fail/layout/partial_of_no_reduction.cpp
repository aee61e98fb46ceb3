// A partial reduction whose kind is no reduction.
// EXPECT: ashlar::partial: its third argument is a reduction
#include "ashlar/layout/layout.hpp"

using namespace ashlar;

#ifdef ASHLAR_CONTROL
constexpr partial<layout<none>, "model", op::max>* p = nullptr;
#else
constexpr partial<layout<none>, "model", int>* p = nullptr;
#endif
