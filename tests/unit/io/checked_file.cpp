// labels: sanitizers
// The few operations on files and folders that checkpoints need, beside the standard's.
#include "ashlar/io/checked_file.hpp"
#include "support/files.hpp"
#include "support/own_process.hpp"
#include "support/provoked.hpp"
#include <doctest/doctest.h>
#include <algorithm>
#include <cstddef>
#if ASHLAR_LINUX
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

using namespace ashlar;
using namespace ashlar::test;

TEST_CASE("make_folders makes a folder and those that it is in, or says the reason") {
  temporary_folder const folder;
  std::string const base = folder.path.string();
  for (std::string const path : {"/a", "/a", "/b/c/d", "/b/c//e/", "/b/c/d/../f", ""}) {
    INFO(path);
    CHECK(io_detail::make_folders(base + path) == 0);
    CHECK(std::filesystem::is_directory(base + path));
  }
  CHECK(io_detail::make_folders("/") == 0);
  CHECK(io_detail::make_folders(".") == 0);
  CHECK(io_detail::make_folders("") == ENOENT);
  write(folder.path / "file", {1});
  CHECK(io_detail::make_folders(base + "/file") == ENOTDIR);
  CHECK(io_detail::make_folders(base + "/file/") == ENOTDIR);
  CHECK(io_detail::make_folders(base + "/file/run/x") == ENOTDIR);
  std::filesystem::create_symlink("nowhere", folder.path / "broken");
  CHECK(io_detail::make_folders(base + "/broken") == EEXIST);
  std::filesystem::create_directory_symlink("b", folder.path / "link");
  CHECK(io_detail::make_folders(base + "/link/g") == 0);
  CHECK(std::filesystem::is_directory(folder.path / "b" / "g"));
  CHECK(io_detail::make_folders(base + "/" + std::string(300, 'x')) == ENAMETOOLONG);
}

TEST_CASE("names_in lists a folder; one that cannot be read is empty or an error") {
  temporary_folder const folder;
  write(folder.path / "x", {});
  std::filesystem::create_directory(folder.path / "y");
  auto names = io_detail::names_in(folder.path.string(), "test");
  CHECK(names == io_detail::names_in(folder.path.string()));
  std::erase_if(names, [](std::string const& name) { return name.starts_with('.'); });
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"x", "y"});
  std::string const missing = (folder.path / "none").string();
  CHECK(io_detail::names_in(missing).empty());
  CHECK(said([&] { io_detail::names_in(missing, "test"); }) ==
        "test: " + missing + ": cannot be read: No such file or directory");
}

TEST_CASE("files are renamed, copied and get a second name, or an error says why not") {
  temporary_folder const folder;
  auto const at = [&](char const* name) { return (folder.path / name).string(); };
  bytes const content = counting(2'500'000), other{1, 2};
  write(at("a"), content);
  io_detail::link_file(at("a"), at("b"), "test");
  CHECK(std::filesystem::hard_link_count(at("a")) == 2);
  io_detail::copy_file(at("a"), at("c"), "test");
  CHECK(content_of(at("c")) == content);
  CHECK(std::filesystem::hard_link_count(at("c")) == 1);
  write(at("empty"), {});
  io_detail::copy_file(at("empty"), at("empty2"), "test");
  CHECK(content_of(at("empty2")).empty());
  CHECK(said([&] { io_detail::link_file(at("none"), at("d"), "test"); }) ==
        "test: " + at("none") + ": cannot be opened: No such file or directory");
  CHECK(said([&] { io_detail::copy_file(at("a"), at("c"), "test"); }) ==
        "test: " + at("c") + ": cannot be opened: File exists");

  write(at("d"), other);
  io_detail::rename_file(at("d"), at("c"), "test");
  CHECK(content_of(at("c")) == other);
  CHECK(!std::filesystem::exists(at("d")));
  CHECK(said([&] { io_detail::rename_file(at("d"), at("e"), "test"); }) ==
        "test: " + at("d") + ": cannot be renamed to " + at("e") + ": No such file or directory");
  io_detail::remove_file(at("c"), "test");
  io_detail::remove_file(at("c"), "test");
  CHECK(!std::filesystem::exists(at("c")));
}

TEST_CASE("lock: one object has it, or others share it after one had it for itself") {
  temporary_folder const folder;
  std::string const path = (folder.path / "x").string();
  write(path, {1});
  for (bool const shares : {false, true}) {
    io_detail::checked_file first(path, "test", O_RDWR), second(path, "test", O_RDWR);
    first.lock("locked", shares);
    for (bool const also : {false, true})
      CHECK(said([&] { second.lock("locked", also); }) == "test: " + path + ": locked");
    int const other = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(other >= 0);
    CHECK((::flock(other, LOCK_SH | LOCK_NB) == 0) == shares);
    first.close();
    CHECK(said([&] { second.lock("locked", true); }).empty() == !shares);  // `other` may share it still
    ::close(other);
    CHECK(said([&] { second.lock("locked", shares); }).empty());
  }
}

#if ASHLAR_LINUX
TEST_CASE("a file that is made, and then cannot be examined, is removed") {
  temporary_folder const folder;
  std::string const path = (folder.path / "x.part").string(), old = (folder.path / "old").string();
  write(old, {1});
  // In a process of its own the system answers fstat with EIO, as if a file server had gone.
  auto const written = written_by([&] {
    sock_filter program[]{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#ifdef SYS_newfstatat
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 2, 0),
#endif
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 1, 0),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO)};
    sock_fprog const all{sizeof program / sizeof *program, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0) return;
    auto const print = [](std::string const& text) { std::fprintf(stderr, "%s\n", text.c_str()); };
    print(said([&] { io_detail::unfinished_file(path, "test").create(); }));
    print(said([&] { io_detail::copy_file(old, path, "test"); }));
    print(said([&] { io_detail::checked_file(old, "test", O_RDWR | O_CREAT); }));
  });
  if (written.first.empty()) {
    MESSAGE("the system has no seccomp, so fstat cannot fail");
    return;
  }
  std::string const reason = ": cannot be examined: Input/output error\n";
  CHECK(written.first == "test: " + path + reason + "test: " + old + reason + "test: " + old + reason);
  CHECK(!std::filesystem::exists(path));
  CHECK(std::filesystem::exists(old));
}
#endif
