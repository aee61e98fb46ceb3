// Plans of products against the least price over all layouts that einsum's rule accepts, found by trying all of them.
#include "ashlar/plan/products/einsum_plan.hpp"
#include <doctest/doctest.h>
#include <random>
#include "support/plan_search.hpp"

using namespace ashlar;
using namespace ashlar::planning;
using namespace ashlar::test;
using layout_detail::einsum_equation;
using layout_detail::parse;

namespace {

// The prices of all redistributions between some layouts of a tensor, each computed once. A message counts as the bytes
// that the links say.
class price_table {
 public:
  price_table(std::vector<layout_value> const& layouts, shape const& extents, mesh_shape const& mesh,
              link_model const& links)
      : layouts_(layouts), extents_(extents), mesh_(mesh), links_(links), known_(layouts.size() * layouts.size(), -1) {}
  index_t operator()(std::size_t from, std::size_t to) {
    index_t& bytes = known_[from * layouts_.size() + to];
    if (from == to) return bytes = 0;
    if (bytes < 0) {
      auto const p = plan(layouts_[from], layouts_[to], extents_, mesh_, 8, all_axes(mesh_), links_);
      bytes = p.bytes_per_rank(extents_, mesh_, 8) + p.messages_per_rank(mesh_) * links_.message_bytes;
    }
    return bytes;
  }
  std::size_t number(layout_value const& v) const {
    return static_cast<std::size_t>(std::find(layouts_.begin(), layouts_.end(), v) - layouts_.begin());
  }

 private:
  std::vector<layout_value> const& layouts_;
  shape extents_;
  mesh_shape mesh_;
  link_model links_;
  std::vector<index_t> known_;
};

// The work of the rank that has most: each label's largest part, times 2.
double operations(einsum_equation const& e, layout_value const& a, layout_value const& b, shape const& ea,
                  shape const& eb, mesh_shape const& mesh) {
  double n = 2;
  shape const la = local_shape(ea, a, mesh, 0), lb = local_shape(eb, b, mesh, 0);
  for (int d = 0; d < ea.rank; ++d) n *= static_cast<double>(la[d]);
  for (int d = 0; d < eb.rank; ++d)
    if (e.in[0].find(e.in[1].label[d]) < 0) n *= static_cast<double>(lb[d]);
  return n;
}

struct tally {
  long cases = 0, dearer = 0, more_bytes = 0, least_bytes_dearer = 0;
  double worst = 1, sum_typical = 0, mean_typical = 1, worst_typical = 1;
};

// A product of operands of given extents, and its layouts.
struct setting {
  equation text;
  std::vector<int> sizes, extents_a, extents_b;
  std::vector<int> blocks = {};  // of block-cyclic dimensions, if there are some
  index_t message_bytes = 0;     // a message costs as much as these
};

// `count` random products: the layouts of a, b and the result are drawn independently. Candidates for typical
// extents, as programs with extents at run time have them, are compared too.
void compare(tally& t, setting const& of, int count, unsigned seed) {
  einsum_equation const e = parse(of.text);
  mesh_shape const mesh = mesh_of(of.sizes);
  shape const ea = shape_of(of.extents_a), eb = shape_of(of.extents_b);
  plan_detail::labelled_extents const labels(e, ea, eb);
  shape const ec = labels.of(e.out);
  auto const layouts = [&](int rank) { return with_cyclic(all_layouts(rank, mesh.axes), of.blocks); };
  auto const in_a = layouts(ea.rank), in_b = layouts(eb.rank), in_c = layouts(ec.rank);
  link_model links;
  if (of.message_bytes != 0) links = {of.message_bytes, 8 * ea.size(), mesh};
  price_table of_first(in_a, ea, mesh, links), of_second(in_b, eb, mesh, links), of_result(in_c, ec, mesh, links);
  struct accepted {
    std::size_t a, b, c;
    double operations;
  };
  std::vector<accepted> all;
  double least_operations = 1e300;
  for (std::size_t i = 0; i < in_a.size(); ++i)
    for (std::size_t j = 0; j < in_b.size(); ++j) {
      rule_result const r = layout_detail::einsum_rule(e, in_a[i], in_b[j]);
      if (r.why != fault::fits) continue;
      all.push_back({i, j, of_result.number(r.out), operations(e, in_a[i], in_b[j], ea, eb, mesh)});
      least_operations = std::min(least_operations, all.back().operations);
    }
  std::minstd_rand random(seed);
  for (int k = 0; k < count; ++k) {
    std::size_t const i = random() / 7 % in_a.size(), j = random() / 7 % in_b.size(), c = random() / 7 % in_c.size();
    layout_value const &a = in_a[i], &b = in_b[j], &to = in_c[c];
    double least = 1e300;
    index_t least_bytes = index_t{1} << 60;  // of those that divide the work fully
    for (accepted const& p : all) {
      // An operand becomes partial over no further axis: that would repeat its work with zeros.
      if ((in_a[p.a].partial() & ~a.partial()) | (in_b[p.b].partial() & ~b.partial())) continue;
      index_t const bytes = of_first(i, p.a) + of_second(j, p.b) + of_result(p.c, c);
      least = std::min(least, p.operations / 16 + static_cast<double>(bytes));
      if (p.operations == least_operations) least_bytes = std::min(least_bytes, bytes);
    }
    product_plan const chosen = einsum_plan(e, a, b, to, ea, eb, mesh, {}, links);
    CAPTURE(name(a) + " x " + name(b) + " -> " + name(to) + " by " + name(chosen.a) + " x " + name(chosen.b));
    REQUIRE(chosen.cost >= least);
    ++t.cases;
    t.dearer += chosen.cost > least;
    t.worst = std::max(t.worst, chosen.cost / least);
    if (chosen.operations == least_operations) t.more_bytes += chosen.bytes > least_bytes;

    plan_detail::product_task const task{e, a, b, to, all_axes(mesh), links};
    plan_detail::product_sizes const known{labels, mesh, {}};
    product_plan const by_bytes = einsum_plan(e, a, b, to, ea, eb, mesh);
    t.least_bytes_dearer += plan_detail::priced(by_bytes, task, known).cost > chosen.cost;
    plan_detail::product_candidates const typical(task, mesh, {});
    REQUIRE(typical.size <= 4);
    double const cost = plan_detail::priced(typical.plan[typical.least_estimated(task, known)], task, known).cost;
    t.sum_typical += cost / least;
    t.worst_typical = std::max(t.worst_typical, cost / least);
  }
  t.mean_typical = t.sum_typical / static_cast<double>(t.cases);
}

}  // namespace

// On two axes the choice is the best of all. The bytes are the least among those that divide the work fully.
TEST_CASE("einsum_plan: two axes") {
  for (setting const& s :
       {setting{"mk,kn->mn", {2, 2}, {720, 720}, {720, 720}}, setting{"mk,kn->mn", {2, 3}, {720, 720}, {720, 720}},
        setting{"mk,kn->mn", {2, 3}, {12, 12}, {12, 12}}, setting{"mk,kn->mn", {2, 3}, {103, 701}, {701, 53}},
        setting{"mk,kn->mn", {3, 2}, {12, 7200}, {7200, 12}}, setting{"mk,kn->mn", {3, 2}, {7200, 12}, {12, 12}},
        setting{"km,nk->nm", {3, 2}, {60, 72}, {90, 60}},
        setting{"bmk,bkn->bmn", {2, 3}, {12, 72, 72}, {12, 72, 72}}}) {
    tally t;
    compare(t, s, 1000, 5);
    CHECK(t.dearer == 0);
    CHECK(t.more_bytes == 0);
    CHECK(t.mean_typical <= 1.08);
  }
}

// On three axes many candidates have nearly the same estimate, so the exact prices decide. Small operands are often best
// if an axis does nothing.
TEST_CASE("einsum_plan: three axes" * doctest::test_suite("nightly")) {
  for (setting const& s :
       {setting{"mk,kn->mn", {2, 3, 2}, {720, 720}, {720, 720}},
        setting{"mk,kn->mn", {2, 3, 2}, {24, 7200}, {7200, 48}}, setting{"mk,kn->mn", {2, 3, 2}, {103, 701}, {701, 53}},
        setting{"mk,kn->mn", {2, 2, 2}, {16, 4096}, {4096, 16}},
        setting{"mk,kn->mn", {4, 2, 2}, {4096, 16}, {16, 4096}},
        setting{"bmk,bkn->bmn", {2, 2, 2}, {8, 64, 64}, {8, 64, 64}},
        setting{"bmk,bkn->bmn", {2, 3, 2}, {12, 72, 7}, {12, 7, 720}}}) {
    tally t;
    compare(t, s, 700, 77);
    CHECK(t.dearer == 0);
    CHECK(t.more_bytes == 0);
    CHECK(t.mean_typical <= 1.4);
  }
}

// A message costs more than all bytes and all work, or about as much. On two axes the choice is the best of all. The plan
// that is chosen without messages is dearer in many products.
TEST_CASE("einsum_plan: messages that cost as much as many bytes" * doctest::test_suite("nightly")) {
  for (setting const& s : {setting{"mk,kn->mn", {2, 3}, {12, 12}, {12, 12}, {}, 1 << 20},
                           setting{"mk,kn->mn", {4, 2}, {24, 8}, {8, 16}, {}, 1 << 20},
                           setting{"bmk,bkn->bmn", {2, 3}, {12, 6, 6}, {12, 6, 6}, {}, 1 << 20},
                           setting{"mk,kn->mn", {2, 3}, {72, 72}, {72, 72}, {}, 4000},
                           setting{"mk,kn->mn", {2, 3, 2}, {72, 72}, {72, 72}, {}, 1 << 20}}) {
    tally t;
    compare(t, s, 1000, 5);
    CHECK(t.dearer <= (s.sizes.size() > 2 ? 25 : 0));
    CHECK(t.worst <= 1.2);
    CHECK(t.least_bytes_dearer > 200);
    if (s.message_bytes < 1 << 20) CHECK(t.mean_typical <= 1.08);
  }
}

// Block-cyclic operands. The search also knows block-cyclic splits that no operand has.
TEST_CASE("einsum_plan: block-cyclic dimensions") {
  for (setting const& s : {setting{"mk,kn->mn", {2, 3}, {72, 72}, {72, 72}, {4}},
                           setting{"mk,kn->mn", {2, 3}, {103, 701}, {701, 53}, {4}}}) {
    tally t;
    compare(t, s, 1000, 5);
    CHECK(t.dearer <= 160);
    CHECK(t.worst <= 1.4);
    CHECK(t.mean_typical <= 1.08);
  }
}
