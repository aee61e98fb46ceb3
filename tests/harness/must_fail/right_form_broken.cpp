namespace mistake {
static_assert(false, "of the right form");
// error: of the wrong form
static_assert(false, "of the wrong form");
}  // namespace mistake
