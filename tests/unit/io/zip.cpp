// labels: sanitizers
// Zip files: written and read back, large ones as holes, deflated members, and files that are damaged.
#include "ashlar/io/zip.hpp"
#include "ashlar/io/zlib.hpp"
#include "support/files.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <filesystem>
#include <functional>

using namespace ashlar;
using namespace ashlar::test;
using io_detail::checked_file, io_detail::zip_member;

namespace {

constexpr char const* caller = "ashlar::io::load_npz";

// A file of two members, and its members as they were placed.
struct example {
  std::vector<zip_member> members{{.name = "u.npy", .bytes = 5}, {.name = "a/\xc3\xbc.npy", .bytes = 70000}};
  std::uint64_t directory = 0;
  bytes file;

  example() {
    directory = io_detail::place_members(members);
    for (zip_member& m : members) {
      bytes const content = counting(static_cast<std::size_t>(m.bytes));
      m.crc = io_detail::crc32_share(content.data(), content.size(), 0);
      std::string const header = io_detail::local_header_of(m);
      REQUIRE(header.size() == m.begin - m.at);
      file.insert(file.end(), header.begin(), header.end());
      file.insert(file.end(), content.begin(), content.end());
    }
    std::string const last = io_detail::directory_of(members, directory);
    file.insert(file.end(), last.begin(), last.end());
  }
};

// The content of the member of this number, or the sentence of an error.
struct outcome {
  std::vector<zip_member> members;
  bytes content;
  std::string sentence;
};
outcome read(bytes const& file, std::size_t number) {
  static temporary_folder const folder;
  write(folder.path / "x.npz", file);
  try {
    checked_file in(folder.path / "x.npz", caller);
    outcome result{io_detail::members_of_zip(in), {}, ""};
    if (number >= result.members.size()) return result;
    io_detail::narrow_to(in, result.members[number]);
    result.content.resize(static_cast<std::size_t>(in.size()));
    in.read(0, result.content.data(), result.content.size());
    return result;
  } catch (error const& e) {
    return {{}, {}, e.what()};
  }
}
bytes changed(bytes file, std::size_t at, bytes const& to) {
  std::copy(to.begin(), to.end(), file.begin() + static_cast<std::ptrdiff_t>(at));
  return file;
}
// The data of a deflated member.
bytes deflated(bytes const& content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  bytes data(content.size() + 100);
  stream.next_in = const_cast<std::uint8_t*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = data.data();
  stream.avail_out = static_cast<uInt>(data.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  data.resize(stream.total_out);
  deflateEnd(&stream);
  return data;
}
// A file of one member, which has `size` bytes and is stored as deflated data.
bytes with_deflated(bytes const& data, std::uint64_t size) {
  std::vector<zip_member> members{{.name = "u.npy", .bytes = data.size()}};
  auto const directory = static_cast<std::size_t>(io_detail::place_members(members));
  std::string const header = io_detail::local_header_of(members[0]), last = io_detail::directory_of(members, directory);
  bytes file = joined(joined({header.begin(), header.end()}, data), {last.begin(), last.end()});
  file[8] = file[directory + 10] = 8;
  for (std::size_t i = 0; i < 4; ++i) file[directory + 24 + i] = static_cast<std::uint8_t>(size >> 8 * i);
  return file;
}
void check_refused(bytes const& file, std::size_t number, char const* why) {
  std::string const sentence = read(file, number).sentence;
  CHECK_MESSAGE(sentence.starts_with("ashlar::io::load_npz: /"), sentence);
  CHECK_MESSAGE(sentence.find(why) != sentence.npos, sentence);
  CHECK_MESSAGE(std::all_of(sentence.begin(), sentence.end(), [](char c) { return c >= ' ' && c <= '~'; }), sentence);
}

}  // namespace

TEST_CASE("zip: the shares of the parts of a text are its CRC-32") {
  std::string const text = "123456789";
  for (std::size_t i = 0; i <= 9; ++i)
    for (std::size_t k = i; k <= 9; ++k)
      CHECK((io_detail::crc32_share(text.data() + k, 9 - k, 0) ^ io_detail::crc32_share(text.data(), i, 9 - i) ^
             io_detail::crc32_share(text.data() + i, k - i, 9 - k)) == 0xcbf43926u);
  bytes const many = counting(100000);
  CHECK((io_detail::crc32_share(many.data() + 99, many.size() - 99, 0) ^
         io_detail::crc32_share(many.data(), 99, many.size() - 99)) ==
        io_detail::crc32_share(many.data(), many.size(), 0));
}

TEST_CASE("zip: members come back, and begin at multiples of 64, or of a page") {
  example const e;
  CHECK(e.members[0].begin % 64 == 0);
  CHECK(e.members[1].begin % 4096 == 0);
  for (std::size_t i = 0; i < 2; ++i) {
    outcome const r = read(e.file, i);
    CHECK(r.sentence == "");
    REQUIRE(r.members.size() == 2);
    CHECK(r.members[i].name == e.members[i].name);
    CHECK(r.members[i].crc == e.members[i].crc);
    CHECK(r.content == counting(static_cast<std::size_t>(e.members[i].bytes)));
  }
}

TEST_CASE("zip: a comment at the end of a file is left out") {
  example const e;
  bytes file = e.file;
  bytes const comment{'P', 'K', 5, 6, 'a', 'b'};
  file[file.size() - 2] = static_cast<std::uint8_t>(comment.size());
  CHECK(read(joined(file, comment), 0).content == counting(5));
}

TEST_CASE("zip: what unzip and zipfile read is read") {
  example const e;
  std::size_t const end = e.file.size() - 22;
  auto const check_read = [](bytes const& file) {
    for (std::size_t i = 0; i < 2; ++i) {
      outcome const r = read(file, i);
      CHECK_MESSAGE(r.content == counting(i == 0 ? 5 : 70000), r.sentence);
    }
  };
  check_read(joined(bytes(10), e.file));         // bytes before the archive
  check_read(joined(e.file, e.file));            // another archive before it
  check_read(joined(e.file, bytes(1000, 7)));    // bytes after it
  check_read(changed(e.file, end + 20, {9}));    // a comment that is cut off
  check_read(changed(e.file, end + 4, {1, 0}));  // numbers of disks, which nobody has
  check_read(changed(e.file, end + 4, {0xff, 0xff, 0xff, 0xff}));
  check_read(changed(e.file, end + 8, {0, 0}));  // entries on this disk
  check_read(joined(joined(bytes(99), e.file), bytes(65535)));
  check_refused(joined(e.file, bytes(65536)), 0, "found other bytes");  // unzip and zipfile look no further, too
}

TEST_CASE("zip: members and directories beyond 4 GiB, and 65536 members, are those of a zip64 file") {
  temporary_folder const folder;
  auto const path = folder.path / "x.npz";
  auto const written = [&](std::vector<zip_member>& members) {
    std::uint64_t const at = io_detail::place_members(members);
    checked_file const out(path, caller, O_RDWR | O_CREAT | O_TRUNC);
    for (zip_member const& m : members) {
      std::string const header = io_detail::local_header_of(m);
      out.write(m.at, header.data(), header.size());
    }
    std::string const last = io_detail::directory_of(members, at);
    out.write(at, last.data(), last.size());
  };
  // The elements are holes: they take no room on the disk.
  std::vector<zip_member> large{{.name = "a.npy", .bytes = (std::uint64_t{1} << 32) - 1},
                                {.name = "b.npy", .bytes = 7},
                                {.name = "c.npy", .bytes = std::uint64_t{5} << 30}};
  written(large);
  for (std::size_t i = 0; i < large.size(); ++i) {
    checked_file in(path, caller);
    auto const found = io_detail::members_of_zip(in);
    REQUIRE(found.size() == 3);
    CHECK(found[i].at == large[i].at);
    CHECK(found[i].bytes == large[i].bytes);
    io_detail::narrow_to(in, found[i]);
    CHECK(in.size() == large[i].bytes);
  }
  std::vector<zip_member> many;
  for (int i = 0; i < 65536; ++i) many.push_back({.name = std::to_string(i), .bytes = 1});
  written(many);
  auto const found = io_detail::members_of_zip(checked_file(path, caller));
  REQUIRE(found.size() == many.size());
  CHECK(found.back().name == "65535");
  CHECK(found.back().at == many.back().at);
}

TEST_CASE("zip: files that are not as expected are refused in one sentence") {
  example const e;
  std::size_t const directory = static_cast<std::size_t>(e.directory), end = e.file.size() - 22;
  check_refused({}, 0, "expected a .npz file, of at least 22 bytes, found 0");
  check_refused(bytes(300, 7), 0, "which ends with the directory of a zip file, found other bytes");
  check_refused({e.file.begin(), e.file.end() - 1}, 0, "found other bytes");
  check_refused(changed(e.file, end + 12, {0xff}), 0, "found one that begins at byte");
  check_refused(changed(e.file, end + 10, {3, 0}), 0, "expected 3 entries of the directory, found 2");
  check_refused(changed(e.file, directory, {'Q'}), 0, "expected entry 0 of the directory, found other bytes");
  check_refused(changed(e.file, directory + 28, {0xff, 0xff}), 0, "expected entry 0 within the directory");
  check_refused(changed(e.file, directory + 24, {0xff, 0xff, 0xff, 0xff}), 0, "as numbers of 64 bits, found none");
  check_refused(changed(e.file, directory + 20, {0, 0, 0, 9}), 0, "before the directory at byte");
  check_refused(changed(e.file, directory + 42, {0, 0, 0, 9}), 0, "before the directory at byte");
  check_refused(changed(e.file, directory + 8, {1}), 0, "expected 'u.npy' as it is, found it encrypted");
  check_refused(changed(e.file, directory + 10, {9}), 0, "found it compressed by method 9; write it by numpy.savez");
  check_refused(changed(e.file, directory + 10, {8}), 0, "expected the header of 'u.npy' at byte 0");
  check_refused(changed(e.file, directory + 20, {4}), 0, "expected 'u.npy' without compression, found 4 bytes for 5");
  check_refused(changed(e.file, 0, {'Q'}), 0, "expected the header of 'u.npy' at byte 0");
  check_refused(changed(e.file, 30, {'v'}), 0, "expected the header of 'u.npy' at byte 0");
  check_refused(changed(e.file, 26, {0xff, 0xff}), 0, "expected the header of 'u.npy' at byte 0");
  check_refused(changed(e.file, static_cast<std::size_t>(e.members[1].at) + 28, {0xff, 0xff}), 1,
                "expected 70000 bytes of 'a/??.npy', found the end of the file");
}

TEST_CASE("zip: deflated members are inflated, in any order of reads") {
  bytes const content = counting(300000);
  bytes const file = with_deflated(deflated(content), content.size());
  outcome const r = read(file, 0);
  CHECK_MESSAGE(r.content == content, r.sentence);
  temporary_folder const folder;
  write(folder.path / "x.npz", file);
  checked_file in(folder.path / "x.npz", caller);
  io_detail::narrow_to(in, io_detail::members_of_zip(in)[0]);
  checked_file const moved = std::move(in);
  for (auto const at : std::vector<std::size_t>{250000, 7, 7, 299999, 0, 300000}) {
    CAPTURE(at);
    bytes part(std::min<std::size_t>(1000, content.size() - at));
    moved.read(at, part.data(), part.size());
    CHECK(std::equal(part.begin(), part.end(), content.begin() + static_cast<std::ptrdiff_t>(at)));
  }
  CHECK(read(with_deflated(deflated({}), 0), 0).content.empty());
}

TEST_CASE("zip: deflated data that are damaged, or are more or fewer bytes, are refused in one sentence") {
  bytes const content = counting(300000), data = deflated(content);
  std::size_t const n = content.size();
  check_refused(with_deflated(data, n - 1), 0, "expected 299999 bytes of deflated data, found more");
  check_refused(with_deflated(data, n + 1), 0, "expected 300001 bytes of deflated data, found 300000");
  check_refused(with_deflated({data.begin(), data.end() - 1}, n), 0,
                "expected whole deflated data, found that they end");
  check_refused(with_deflated(changed(data, 0, {0xff}), n), 0,
                "expected sound deflated data, found invalid block type");
  // A file of 1 KB that says it is 3 GB.
  check_refused(with_deflated(deflated(bytes(1000)), 3000000000), 0,
                "expected at most 1032 bytes of 'u.npy' for each byte");
}

TEST_CASE("zip: names without the flag of UTF-8 are bytes, or characters of code page 437") {
  zip_member m{.name = "\x81\xe1\xff.npy"};
  CHECK(io_detail::is_named(m, "\xc3\xbc\xc3\x9f\xc2\xa0.npy"));
  CHECK(io_detail::is_named(m, m.name));
  CHECK(!io_detail::is_named(m, "u.npy"));
  m.flags = 1 << 11;
  CHECK(!io_detail::is_named(m, "\xc3\xbc\xc3\x9f\xc2\xa0.npy"));
}

TEST_CASE("zip: the records of a zip64 file that are not as expected are refused in one sentence") {
  example const e;
  std::size_t const end = e.file.size() - 22;
  auto const number = [](std::uint64_t n, std::size_t size) {
    bytes b;
    for (std::size_t i = 0; i < size; ++i) b.push_back(static_cast<std::uint8_t>(n >> 8 * i));
    return b;
  };
  // The file with a zip64 end record before its own one, and a locator that says that this record is at byte `at`.
  auto const large = [&](std::uint64_t directory_bytes, std::uint64_t at, std::uint32_t signature) {
    bytes record = number(signature, 4);
    for (auto const& [n, size] : std::initializer_list<std::pair<std::uint64_t, std::size_t>>{
             {44, 8}, {45, 2}, {45, 2}, {0, 4}, {0, 4}, {2, 8}, {2, 8}, {directory_bytes, 8}, {e.directory, 8}})
      record = joined(record, number(n, size));
    bytes locator = joined(number(0x07064b50, 4), number(0, 4));
    locator = joined(joined(locator, number(at, 8)), number(1, 4));
    auto const split = e.file.begin() + static_cast<std::ptrdiff_t>(end);
    return joined(joined(joined({e.file.begin(), split}, record), locator), {split, e.file.end()});
  };
  std::uint64_t const directory_bytes = end - e.directory;
  constexpr std::uint32_t signature = 0x06064b50;
  CHECK(read(large(directory_bytes, end, signature), 0).content == counting(5));
  // As for zipfile, the record is also found just before the locator.
  CHECK(read(large(directory_bytes, end + 1, signature), 0).content == counting(5));
  CHECK(read(joined(bytes(300, 7), large(directory_bytes, end, signature)), 1).content == counting(70000));
  check_refused(
      large(directory_bytes, end, signature + 1), 0,
      ("expected the end record of a zip64 file at byte " + std::to_string(end) + ", found other bytes").c_str());
  check_refused(large(directory_bytes + 1, end, signature), 0, "found one that begins at byte");

  // A directory of more than 64 MiB, in a file that is a hole.
  temporary_folder const folder;
  std::uint64_t const most = std::uint64_t{64} << 20;
  write(folder.path / "x.npz", {});
  std::filesystem::resize_file(folder.path / "x.npz", most + 1);
  bytes const at_end = joined(joined(number(0x06054b50, 4), number(0, 8)), joined(number(most + 1, 4), number(0, 6)));
  REQUIRE(at_end.size() == 22);
  checked_file(folder.path / "x.npz", caller, O_WRONLY).write(most + 1, at_end.data(), at_end.size());
  std::string const sentence =
      test::said([&] { io_detail::members_of_zip(checked_file(folder.path / "x.npz", caller)); });
  CHECK_MESSAGE(sentence.find("expected a directory of at most 64 MiB, found 67108865 bytes") != sentence.npos,
                sentence);
}

TEST_CASE("zip: no change of one byte and no shorter file leads beyond the file" * doctest::test_suite("nightly")) {
  example e;
  bytes file = e.file;
  std::size_t errors = 0;
  auto const check = [&](bytes const& content) {
    for (std::size_t i = 0; i < 2; ++i) {
      outcome const r = read(content, i);
      CHECK((r.sentence.empty() || r.sentence.starts_with("ashlar::io::load_npz: /")));
      CHECK(r.content.size() <= content.size());
      errors += !r.sentence.empty();
    }
  };
  std::size_t const directory = static_cast<std::size_t>(e.directory);
  for (std::size_t at = 0; at < file.size(); at = at == 99 ? directory : at + 1)
    for (std::uint8_t const to : bytes{0x00, 0x7f, 0x80, 0xff}) check(changed(file, at, {to}));
  CHECK(errors != 0);
  for (std::size_t n = directory; n < file.size(); ++n) {
    errors = 0;
    check({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(n)});
    CHECK(errors == 2);
  }
}
