// Everything but printing.
#pragma once
#include "ashlar/train/train.hpp"
