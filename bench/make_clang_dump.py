#!/usr/bin/env python3
"""The dump of a real program that is large: clang, while it compiles some templates of Eigen.

usage: make_clang_dump.py DIRECTORY

Writes DIRECTORY/clang.heap, some 150 MB and 125,000 stacks of 78 frames on average, in a minute. Needs clang,
Eigen's headers and jemalloc (Debian: clang, libeigen3-dev, libjemalloc2). Another version of clang writes
another dump.
"""
import ctypes.util
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = r'''
#include <Eigen/Dense>
#include <Eigen/Sparse>
using Eigen::Dynamic;
using Matrix = Eigen::Matrix<double, Dynamic, Dynamic>;
using Vector = Eigen::Matrix<double, Dynamic, 1>;
using Sparse = Eigen::SparseMatrix<double>;

double solve(int n) {
    Matrix a = Matrix::Random(n, n), b = a * a.transpose() + a;
    Vector x = Vector::Random(n);
    Sparse m(n, n);
    m.setIdentity();
    double sum = a.partialPivLu().solve(x).sum() + a.fullPivLu().solve(x).sum();
    sum += a.householderQr().solve(x).sum() + a.colPivHouseholderQr().solve(x).sum();
    sum += b.llt().solve(x).sum() + b.ldlt().solve(x).sum();
    sum += Eigen::JacobiSVD<Matrix>(a, Eigen::ComputeThinU | Eigen::ComputeThinV).solve(x).sum();
    sum += Eigen::SelfAdjointEigenSolver<Matrix>(b).eigenvectors().sum();
    sum += Eigen::SimplicialLDLT<Sparse>(m).solve(x).sum();
    sum += Eigen::ConjugateGradient<Sparse>(m).solve(x).sum();
    return sum + Eigen::BiCGSTAB<Sparse>(m).solve(x).sum();
}
'''


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1]).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    library = ctypes.util.find_library('jemalloc')
    if not library:
        sys.exit('there is no libjemalloc')
    with tempfile.TemporaryDirectory(dir=directory) as scratch:
        profile = f'prof:true,prof_final:true,prof_accum:true,lg_prof_sample:12,prof_prefix:{scratch}/dump'
        subprocess.run(['clang', '-x', 'c++', '-std=c++17', '-O2', '-isystem', '/usr/include/eigen3', '-c', '-', '-o',
                        f'{scratch}/solve.o'], input=SOURCE, encoding='ascii', check=True,
                       env=os.environ | {'LD_PRELOAD': library, 'MALLOC_CONF': profile})
        dumps = sorted(pathlib.Path(scratch).glob('*.heap'), key=lambda path: path.stat().st_size)
        dumps[-1].rename(directory / 'clang.heap')  # the driver writes a small one of its own


if __name__ == '__main__':
    main()
