// labels: sanitizers
// Segments between processes: a parent that owns one, and children that map it or are kept from it.
#include "ashlar/comm/node/shared_segment.hpp"

#include <doctest/doctest.h>

#if ASHLAR_LINUX
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

using namespace ashlar::comm_detail;

namespace {

constexpr std::size_t mebibyte = std::size_t(1) << 20;

// Runs f in a child; its verdict.
template <class F>
bool in_child(F f) {
  pid_t const child = fork();
  if (child == 0) _exit(f() ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class pipe_ends {
 public:
  pipe_ends() { ready_ = pipe(end_) == 0; }
  pipe_ends(pipe_ends const&) = delete;
  pipe_ends& operator=(pipe_ends const&) = delete;
  ~pipe_ends() {
    close(end_[0]);
    close(end_[1]);
  }
  template <class T>
  bool put(T const& value) const {
    return ready_ && write(end_[1], &value, sizeof value) == static_cast<ssize_t>(sizeof value);
  }
  template <class T>
  bool take(T& value) const {
    return ready_ && read(end_[0], &value, sizeof value) == static_cast<ssize_t>(sizeof value);
  }

 private:
  int end_[2]{-1, -1};
  bool ready_ = false;
};

}  // namespace

TEST_CASE("shared_segment: blocks are aligned, apart, and hold what is written") {
  auto segment = shared_segment::create(256 * mebibyte);
  REQUIRE(segment.has_value());
  CHECK(segment->size() == 256 * mebibyte);
  std::vector<std::pair<unsigned char*, std::size_t>> blocks;
  std::size_t total = 0;
  for (std::size_t n : {1u, 63u, 64u, 65u, 4096u, 100003u, 5u << 20, 0u, 17u << 20, 7u, 64u << 20}) {
    auto* const p = static_cast<unsigned char*>(segment->allocate(n));
    REQUIRE(p != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(p) % (n < (64u << 10) ? 128 : 4096) == 0);
    CHECK((segment->contains(p) && segment->offset_of(p) + n <= segment->size()));
    std::memset(p, static_cast<int>(blocks.size()) + 1, n);
    blocks.emplace_back(p, n);
    total += n;
  }
  bool intact = true;
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (std::size_t k = 0; k < blocks[i].second; ++k) intact = intact && blocks[i].first[k] == i + 1;
  CHECK(intact);
  CHECK(segment->allocate(segment->size() - total) == nullptr);  // the head and the gaps are not free
  CHECK(segment->allocate(~std::size_t{0}) == nullptr);
  int elsewhere = 0;
  CHECK_FALSE(segment->contains(&elsewhere));
}

TEST_CASE("shared_segment: what was given back serves later blocks, neighbours together, and is empty memory") {
  auto segment = shared_segment::create(256 * mebibyte);
  REQUIRE(segment.has_value());
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(static_cast<std::byte*>(segment->allocate(mebibyte + 5)));
  for (std::byte* p : blocks) std::memset(p, 7, mebibyte + 5);
  std::size_t const used = segment->used();
  for (int i : {2, 0, 1}) segment->give_back(blocks[static_cast<std::size_t>(i)], mebibyte + 5);
  auto* const joined = static_cast<std::byte*>(segment->allocate(3 * mebibyte));
  CHECK(joined == blocks[0]);
  CHECK(std::all_of(joined, joined + 3 * mebibyte, [](std::byte b) { return b == std::byte{0}; }));
  std::memset(joined, 9, 3 * mebibyte);
  CHECK(std::all_of(blocks[3], blocks[3] + mebibyte + 5, [](std::byte b) { return b == std::byte{7}; }));
  CHECK(segment->used() == used);
  for (int i = 0; i < 300; ++i) {  // 1.2 GB in all, of 256 MiB of addresses
    void* const p = segment->allocate(4 * mebibyte);
    REQUIRE(p != nullptr);
    segment->give_back(p, 4 * mebibyte);
  }
  CHECK(segment->used() <= used + 4 * mebibyte + 4096);
}

TEST_CASE("shared_segment: another process reads and writes it, blocks made later, too") {
  pipe_ends there, back;
  pid_t const child = fork();  // before the segment is: it is not inherited, but mapped
  if (child == 0) {
    segment_address a;
    std::uint64_t offset = 0;
    if (!there.take(a)) _exit(1);
    mapping const peer = map_segment(a);
    if (!peer || !back.put('m')) _exit(2);
    if (!there.take(offset)) _exit(3);
    int* const numbers = reinterpret_cast<int*>(peer.get() + offset);
    for (int i = 0; i < 1000; ++i)
      if (numbers[i] != i) _exit(4);
    numbers[0] = 42;
    _exit(back.put('w') ? 0 : 5);
  }
  auto segment = shared_segment::create(128 * mebibyte);
  REQUIRE(segment.has_value());
  char answer = 0;
  REQUIRE(there.put(segment->address()));
  REQUIRE(back.take(answer));
  (void)segment->allocate(20 * mebibyte);
  auto* const numbers = static_cast<int*>(segment->allocate(1000 * sizeof(int)));
  REQUIRE(numbers != nullptr);
  for (int i = 0; i < 1000; ++i) numbers[i] = i;
  REQUIRE(there.put(segment->offset_of(numbers)));
  REQUIRE(back.take(answer));
  CHECK(numbers[0] == 42);
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("map_segment: only the segment that is meant is opened") {
  auto segment = shared_segment::create(64 * mebibyte), other = shared_segment::create(64 * mebibyte);
  REQUIRE((segment.has_value() && other.has_value()));
  segment_address const good = segment->address();
  CHECK(map_segment(good) != nullptr);
  auto const refused = [&](auto change) {
    segment_address a = good;
    change(a);
    return map_segment(a) == nullptr;
  };
  CHECK(refused([](auto& a) { ++a.nonce[0]; }));
  CHECK(refused([](auto& a) { ++a.nonce[1]; }));
  CHECK(refused([](auto& a) { ++a.inode; }));
  CHECK(refused([](auto& a) { ++a.device; }));
  CHECK(refused([](auto& a) { a.size *= 2; }));
  CHECK(refused([](auto& a) { a.size = 0; }));
  CHECK(refused([](auto& a) { a.descriptor = -1; }));
  CHECK(refused([](auto& a) { a.descriptor = 0; }));
  CHECK(refused([&](auto& a) { a.descriptor = other->address().descriptor; }));
  CHECK(refused([](auto& a) { a.process = 0; }));
  CHECK(refused([](auto& a) { a.process = 1; }));
  CHECK(refused([](auto& a) { a = segment_address{}; }));
}

TEST_CASE("shared_segment: what the system refuses comes back empty, without a signal") {
  CHECK(in_child([] {  // too little address space for what is asked: a smaller segment, or none
    rlimit const limit{512 * mebibyte, 512 * mebibyte};
    setrlimit(RLIMIT_AS, &limit);
    auto const s = shared_segment::create(std::size_t(64) << 30);
    return !s || s->size() < 512 * mebibyte;
  }));
  CHECK(in_child([] {
    rlimit const limit{64 * mebibyte, 64 * mebibyte};
    setrlimit(RLIMIT_AS, &limit);
    return !shared_segment::create(1024 * mebibyte);
  }));
  CHECK(in_child([] {  // files of a few bytes only
    signal(SIGXFSZ, SIG_IGN);
    rlimit const limit{8 * mebibyte, 8 * mebibyte};
    setrlimit(RLIMIT_FSIZE, &limit);
    return !shared_segment::create(256 * mebibyte);
  }));
  CHECK(in_child([] {  // a full one: blocks come back empty, those before stay good
    auto s = shared_segment::create(64 * mebibyte);
    auto* const before = s ? static_cast<char*>(s->allocate(mebibyte)) : nullptr;
    if (before == nullptr || s->allocate(64 * mebibyte) != nullptr) return false;
    std::memset(before, 1, mebibyte);
    return s->allocate(1000) != nullptr;
  }));
}

TEST_CASE("shared_segment: an owner that is killed leaves nothing, and its peers what they mapped") {
  pipe_ends out;
  pid_t const child = fork();
  if (child == 0) {
    auto segment = shared_segment::create(64 * mebibyte);
    if (!segment) _exit(1);
    auto* const p = static_cast<int*>(segment->allocate(sizeof(int)));
    *p = 42;
    if (!out.put(segment->address()) || !out.put(segment->offset_of(p))) _exit(2);
    for (;;) pause();
  }
  segment_address a;
  std::uint64_t offset = 0;
  REQUIRE(out.take(a));
  REQUIRE(out.take(offset));
  mapping const peer = map_segment(a);
  REQUIRE(peer != nullptr);
  kill(child, SIGKILL);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(*reinterpret_cast<int const*>(peer.get() + offset) == 42);
  CHECK(map_segment(a) == nullptr);
  std::filesystem::directory_iterator const files("/dev/shm");
  CHECK(std::none_of(begin(files), end(files), [&](auto const& file) {
    struct stat found {};
    return stat(file.path().c_str(), &found) == 0 && found.st_dev == a.device && found.st_ino == a.inode;
  }));
}

TEST_CASE("default_segment_size: ASHLAR_SHARED_MEMORY") {
  auto const size_with = [](char const* text) {
    setenv("ASHLAR_SHARED_MEMORY", text, 1);
    std::size_t const n = default_segment_size();
    unsetenv("ASHLAR_SHARED_MEMORY");
    return n;
  };
  CHECK(size_with("0") == 0);
  CHECK(size_with("1000") == 1000);
  CHECK(size_with("64K") == 64 * 1024);
  CHECK(size_with("512M") == 512 * mebibyte);
  CHECK(size_with("3G") == 3072 * mebibyte);
  CHECK(size_with("2g") == 2048 * mebibyte);
  CHECK(size_with("99999999999999999999999") == ~std::size_t{0});
  CHECK(size_with("17179869184G") == ~std::size_t{0});
  CHECK(default_segment_size() >= 64 * mebibyte);
}
#endif
