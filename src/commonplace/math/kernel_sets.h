// Compiles the loops of the header COMMONPLACE_KERNELS for several sets of instructions, each in a
// namespace of its own and with the size of its registers, COMMONPLACE_LINE_BYTES. It is included
// by a .cpp file inside an unnamed namespace: hence neither a guard nor includes. (Not
// target_clones, as elsewhere: that splits vectors for the plain set before it makes the clones.)

#if defined(__AVX512F__)
#define COMMONPLACE_LINE_BYTES 64
#elif defined(__AVX__)
#define COMMONPLACE_LINE_BYTES 32
#else
#define COMMONPLACE_LINE_BYTES 16
#endif
namespace plain {
#include COMMONPLACE_KERNELS
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(COMMONPLACE_NO_CLONES) && !defined(__AVX512F__)
#define COMMONPLACE_CHOOSE_KERNELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#undef COMMONPLACE_LINE_BYTES
#define COMMONPLACE_LINE_BYTES 32
namespace v3 {
#include COMMONPLACE_KERNELS
}
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#undef COMMONPLACE_LINE_BYTES
#define COMMONPLACE_LINE_BYTES 64
namespace v4 {
#include COMMONPLACE_KERNELS
}
#pragma GCC pop_options
#endif

/// The best instruction set that this machine can run, as a level of x86-64; 1 is the plain one.
inline int best_level() {
#ifdef COMMONPLACE_CHOOSE_KERNELS
  static const int level = __builtin_cpu_supports("x86-64-v4")   ? 4
                           : __builtin_cpu_supports("x86-64-v3") ? 3
                                                                 : 1;
  return level;
#else
  return 1;
#endif
}

/// The loops of the best one that is not above `most`.
template <class Scalar>
const Kernels<Scalar>& kernels_up_to([[maybe_unused]] int most) {
#ifdef COMMONPLACE_CHOOSE_KERNELS
  const int level = std::min(best_level(), most);
  if (level >= 4) return v4::kKernels<Scalar>;
  if (level >= 3) return v3::kKernels<Scalar>;
#endif
  return plain::kKernels<Scalar>;
}
