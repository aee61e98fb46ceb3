// The library ashlar::instantiated.
#include "ashlar/instantiated.hpp"
