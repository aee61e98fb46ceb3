// labels: sanitizers
// The memory of shards: blocks and sizes of the pool against a model, and blocks that keep elements for their readers.
#include "ashlar/tensor/storage.hpp"
#include <doctest/doctest.h>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

using namespace ashlar;
using namespace ashlar::tensor_detail;

namespace {

using space = Kokkos::HostSpace;
using memory = pool<space>;
using handle = std::shared_ptr<storage<space>>;

unsigned char* bytes_of(handle const& b) { return static_cast<unsigned char*>(b->data); }
void fill_with(handle const& b, int value) {
  if (b->bytes != 0) std::memset(b->data, value, b->bytes);
}
bool is_all(handle const& b, int value) {
  return std::all_of(bytes_of(b), bytes_of(b) + b->bytes, [&](unsigned char c) { return c == value; });
}

// The sizes of blocks: 256, and four per octave from there on.
std::size_t size_of_block(std::size_t bytes) {
  std::size_t size = 256;
  for (std::size_t octave = 256; size < bytes; octave *= 2)
    for (std::size_t quarters = 1; quarters <= 4 && size < bytes; ++quarters) size = octave + quarters * octave / 4;
  return size;
}

// A reader that copies the first byte when the block is about to change, and counts how often it is told.
struct first_byte : reader {
  int seen = -1, told = 0;
  void keep(void const* b) override {
    ++told;
    seen = *static_cast<unsigned char const*>(static_cast<storage<space> const*>(b)->data);
  }
};

}  // namespace

TEST_CASE("storage: a block serves the requests of its size, and each new one has that size") {
  std::vector<std::size_t> sizes{0, 1, 255, 256};
  for (std::size_t octave = 256; octave <= 1u << 20; octave *= 2)
    for (std::size_t q = 1; q <= 4; ++q)
      for (std::size_t n : {octave + q * octave / 4 - 1, octave + q * octave / 4}) sizes.push_back(n);
  for (std::size_t n : sizes) {
    CAPTURE(n);
    std::vector<handle> taken;  // all free blocks of this size, and one more
    std::size_t const made = memory::allocations(), held = memory::held();
    while (memory::allocations() == made && taken.size() < 1000) taken.push_back(memory::allocate(n));
    CHECK(memory::held() - held == size_of_block(n));
    void* const last = taken.back()->data;
    CHECK(reinterpret_cast<std::uintptr_t>(last) % alignof(std::max_align_t) == 0);
    taken.pop_back();
    bool const is_largest = size_of_block(n) == n;
    CHECK(memory::allocate(n > 255 ? n - n / 16 : 1)->data == last);
    std::size_t const before = memory::allocations();
    std::vector<handle> next;
    if (is_largest) next.push_back(memory::allocate(n + 1));
    CHECK((next.empty() || next[0]->data != last));
    CHECK(memory::allocations() - before <= 1);
  }
}

TEST_CASE("storage: blocks that are alive never overlap, and the pool counts them") {
  std::minstd_rand random(3);
  std::vector<std::pair<handle, int>> alive;
  std::size_t const others = memory::in_use();
  std::size_t bytes = 0, most = 0, wrong = 0;
  memory::reset_peak();
  for (int i = 0; i < 3000; ++i) {
    if (alive.size() < 40 && random() % 5 < 3) {
      std::size_t const n = random() % (random() % 8 == 0 ? 300000 : 2000);
      alive.emplace_back(memory::allocate(n), i % 251);
      fill_with(alive.back().first, i % 251);
      wrong += alive.back().first->bytes != n;
      bytes += n;
      most = std::max(most, bytes);
    } else if (!alive.empty()) {
      auto const at = alive.begin() + static_cast<std::ptrdiff_t>(random() % alive.size());
      wrong += !is_all(at->first, at->second);
      bytes -= at->first->bytes;
      alive.erase(at);
    }
    wrong += memory::in_use() != others + bytes;
    wrong += memory::peak() != others + most;
    wrong += memory::held() < memory::in_use();
  }
  CHECK(wrong == 0);
  alive.clear();
  CHECK(memory::in_use() == others);
  memory::reset_peak();
  CHECK(memory::peak() == others);
}

TEST_CASE("storage: beyond its bound the pool gives the sizes back that were used least lately") {
  // One block at a time, of growing sizes that sum up to more than the bound. Nothing is written, so no memory is taken.
  std::size_t const size = std::size_t{1} << 26;
  std::vector<std::size_t> sizes;
  for (std::size_t q = 0; q < 4; ++q) sizes.push_back(size + q * size / 4);
  for (std::size_t n : sizes) (void)memory::allocate(n);
  CHECK(memory::held() <= (std::size_t{64} << 20) + 2 * sizes.back());
  std::size_t const made = memory::allocations();
  (void)memory::allocate(sizes[3]);
  (void)memory::allocate(sizes[2]);
  CHECK(memory::allocations() == made);
  (void)memory::allocate(sizes[0]);
  CHECK(memory::allocations() == made + 1);
  (void)memory::allocate(sizes[1]);
  CHECK(memory::allocations() == made + 2);
  // Size 2 was first used before size 3, and last used after it.
  (void)memory::allocate(sizes[2]);
  CHECK(memory::allocations() == made + 2);
  (void)memory::allocate(sizes[3]);
  CHECK(memory::allocations() == made + 3);
}

TEST_CASE("storage: a block of the pool is as new") {
  handle b = memory::allocate(1000);
  void* const at = b->data;
  CHECK_FALSE(b->exposed);
  auto const r = std::make_shared<first_byte>();
  b->expect(r);
  b->expose();
  b->zeros.transfers = std::make_shared<int>();
  b.reset();
  CHECK(r->told == 0);  // nobody has changed it
  b = memory::allocate(1000, true);
  CHECK(b->data == at);
  CHECK_FALSE(b->exposed);
  CHECK(b->zeros.transfers != nullptr);
  b->before_writing();
  CHECK(r->told == 0);  // a reader of the block before
  b.reset();
  b = memory::allocate(1000);
  CHECK(b->zeros.transfers == nullptr);
  b->zeros.transfers = std::make_shared<int>();
  b->expose();  // the program may write any cell
  CHECK(b->exposed);
  CHECK(b->zeros.transfers == nullptr);
}

TEST_CASE("storage: readers are told before the first write, once, and those that are gone are not") {
  handle const b = memory::allocate(100);
  fill_with(b, 4);
  std::vector<std::shared_ptr<first_byte>> readers(20);
  for (auto& r : readers) {
    r = std::make_shared<first_byte>();
    b->expect(r);
    if (&r - readers.data() >= 10) r.reset();
  }
  auto const twice = std::make_shared<first_byte>();
  b->expect(twice);
  for (int i = 0; i < 2; ++i) {
    b->before_writing();
    fill_with(b, 5 + i);
  }
  for (int i = 0; i < 10; ++i)
    CHECK((readers[static_cast<std::size_t>(i)]->told == 1 && readers[static_cast<std::size_t>(i)]->seen == 4));
  CHECK((twice->told == 1 && twice->seen == 4));
  b->expect(twice);  // of what is there now
  b->before_writing();
  CHECK((twice->told == 2 && twice->seen == 6));
}

TEST_CASE("storage: a block that borrows has its lender's elements until one of them is written") {
  for (std::size_t n : {std::size_t{0}, std::size_t{100}, std::size_t{100000}}) {
    CAPTURE(n);
    // The lender is written: both borrowers, also the one that borrows from the other, take copies of the old elements.
    handle const lender = memory::allocate(n);
    fill_with(lender, 1);
    handle const first = storage<space>::borrow(lender), second = storage<space>::borrow(first);
    CHECK((first->data == lender->data && second->data == lender->data && second->bytes == n));
    CHECK(lender->exposed);
    lender->before_writing();
    fill_with(lender, 2);
    CHECK((is_all(first, 1) && is_all(second, 1) && is_all(lender, 2)));
    CHECK((first->data != lender->data && second->data != lender->data && first->data != second->data));
    // What has memory of its own by now is not copied again.
    void const* const own = first->data;
    first->before_writing();
    lender->before_writing();
    CHECK(first->data == own);
  }
  // A borrower is written: the others keep what they have.
  handle lender = memory::allocate(3000);
  fill_with(lender, 1);
  handle const first = storage<space>::borrow(lender), second = storage<space>::borrow(lender);
  first->before_writing();
  fill_with(first, 2);
  CHECK((is_all(lender, 1) && is_all(second, 1) && is_all(first, 2)));
  CHECK(second->data == lender->data);
  // A reader of the borrowed memory is told of writes to either.
  auto const r = std::make_shared<first_byte>();
  second->expect_with_lender(r);
  void const* const own = first->data;
  lender->before_writing();
  fill_with(lender, 3);
  CHECK((r->told == 1 && r->seen == 1));
  CHECK(first->data == own);  // its copy is not copied again
  CHECK((is_all(second, 1) && is_all(lender, 3)));
  // The last one that has the memory writes in place.
  handle const last = storage<space>::borrow(lender);
  void const* const at = last->data;
  std::size_t const in_use = memory::in_use();
  lender.reset();
  CHECK(memory::in_use() == in_use);  // the borrower holds the memory
  last->before_writing();
  CHECK((last->data == at && is_all(last, 3)));
}

TEST_CASE("storage: scratch memory is the pool's, for as long as it is held") {
  std::size_t const before = memory::in_use();
  {
    pool_scratch<Kokkos::DefaultHostExecutionSpace, double> empty, some(37);
    CHECK((!empty && some));
    CHECK(memory::in_use() == before + 37 * sizeof(double));
    auto const array = scratch_from_pool<Kokkos::DefaultHostExecutionSpace>.array<int>(11);
    CHECK((array.data() != nullptr && memory::in_use() == before + 37 * sizeof(double) + 11 * sizeof(int)));
  }
  CHECK(memory::in_use() == before);
}
