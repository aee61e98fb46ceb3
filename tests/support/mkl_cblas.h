/* The declarations that ashlar uses, as MKL's header mkl_cblas.h has them, with 64-bit integers. */
#ifndef ASHLAR_TEST_MKL_CBLAS_H
#define ASHLAR_TEST_MKL_CBLAS_H
#define MKL_INT long long
typedef enum { CblasRowMajor = 101, CblasColMajor = 102 } CBLAS_LAYOUT;
typedef enum { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 } CBLAS_TRANSPOSE;
typedef enum { CblasUpper = 121, CblasLower = 122 } CBLAS_UPLO;
#ifdef __cplusplus
extern "C" {
#endif
void cblas_sgemm(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const MKL_INT, const float,
                 const float*, const MKL_INT, const float*, const MKL_INT, const float, float*, const MKL_INT);
void cblas_dgemm(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const MKL_INT, const double,
                 const double*, const MKL_INT, const double*, const MKL_INT, const double, double*, const MKL_INT);
void cblas_cgemm(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const MKL_INT, const void*,
                 const void*, const MKL_INT, const void*, const MKL_INT, const void*, void*, const MKL_INT);
void cblas_zgemm(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const MKL_INT, const void*,
                 const void*, const MKL_INT, const void*, const MKL_INT, const void*, void*, const MKL_INT);
void cblas_sgemv(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const float, const float*, const MKL_INT,
                 const float*, const MKL_INT, const float, float*, const MKL_INT);
void cblas_dgemv(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const double, const double*, const MKL_INT,
                 const double*, const MKL_INT, const double, double*, const MKL_INT);
void cblas_cgemv(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const void*, const void*, const MKL_INT,
                 const void*, const MKL_INT, const void*, void*, const MKL_INT);
void cblas_zgemv(const CBLAS_LAYOUT, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const void*, const void*, const MKL_INT,
                 const void*, const MKL_INT, const void*, void*, const MKL_INT);
void cblas_ssyrk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const float, const float*,
                 const MKL_INT, const float, float*, const MKL_INT);
void cblas_dsyrk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const double, const double*,
                 const MKL_INT, const double, double*, const MKL_INT);
void cblas_csyrk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const void*, const void*,
                 const MKL_INT, const void*, void*, const MKL_INT);
void cblas_zsyrk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const void*, const void*,
                 const MKL_INT, const void*, void*, const MKL_INT);
void cblas_cherk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const float, const void*,
                 const MKL_INT, const float, void*, const MKL_INT);
void cblas_zherk(const CBLAS_LAYOUT, const CBLAS_UPLO, const CBLAS_TRANSPOSE, const MKL_INT, const MKL_INT, const double, const void*,
                 const MKL_INT, const double, void*, const MKL_INT);
#ifdef __cplusplus
}
#endif
#endif
