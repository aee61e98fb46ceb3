// many_ranks CASE: more ranks than exchange messages, so that collectives of MPI's own serve. One rank takes a maximum where the
// others add, and all have to learn it. first: in the first collective. last: in one that is not compared, at the end of the
// program. gathered: the same, but a gather follows. ends: the rank ends its program instead, and all others do so by an error.
#include <ashlar/ashlar.hpp>

#include <cstdio>
#include <string>
#include <string_view>

using namespace ashlar;

namespace {

template <class L, class M>
auto ones(device_mesh<M> const& m) {
  auto x = make<float, L>(m, {100});
  fill(x, 1.f);
  return x;
}

}  // namespace

int main(int, char** arguments) {
  environment const env;
  std::string_view const how = arguments[1];
  using line = mesh<axis<"x">>;
  device_mesh<line> const m(MPI_COMM_WORLD);
  auto const sums = ones<partial<layout<none>, "x">>(m);
  auto const maxima = ones<partial<layout<none>, "x", op::max>>(m);
  auto const reduce = [&](bool differs) {
    if (differs)
      (void)all_reduce<"x">(maxima);
    else
      (void)all_reduce<"x">(sums);
  };
  std::string heard = "nothing";
  try {
    for (int i = 0; how != "first" && i < 6; ++i) reduce(false);  // of them 1, 2 and 4 are compared
    if (how == "ends" && m.rank() == 5) return 0;
    reduce(m.rank() == 5);
    if (how == "gathered") (void)gather(make<float, layout<"x">>(m, {m.size()}));
  } catch (error const& e) {
    heard = e.what();
  }
  if (how == "ends") {
    std::printf("[rank %d] heard %s\n", m.rank(), heard.c_str());
    return heard != "nothing";
  }
  int hear = heard.find("ashlar: the ranks do not call the same") == 0, all_hear = 0;
  MPI_Allreduce(&hear, &all_hear, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (m.rank() == 0 && all_hear) std::printf("all %d ranks heard: %s\n", m.size(), heard.c_str());
  return how != "last" && all_hear;
}
