static_assert(false, "a sentence");
