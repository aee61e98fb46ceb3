// Tensors on real ranks.
#pragma once
#include "ashlar/comm/comm.hpp"
#include "ashlar/tensor/environment.hpp"
#include "ashlar/tensor/gather.hpp"
#include "ashlar/tensor/pack.hpp"
#include "ashlar/tensor/pending.hpp"
#include "ashlar/tensor/redistribute.hpp"
#include "ashlar/tensor/roll.hpp"
#include "ashlar/tensor/sharded_tensor.hpp"
