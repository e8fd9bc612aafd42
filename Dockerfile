# A container with Foldproof and nvcc:
#   docker build -t foldproof .
#   docker run --rm -v "$PWD:/src" foldproof audit my_kernel.cu
FROM debian:12 AS build
COPY . /foldproof
RUN cd /foldproof && apt-get update -qq && ./x package

FROM nvidia/cuda:13.0.1-devel-ubuntu24.04
COPY --from=build /foldproof/build-package/packages/foldproof_*.deb /tmp/
RUN dpkg -i /tmp/foldproof_*.deb && rm /tmp/foldproof_*.deb
WORKDIR /src
ENTRYPOINT ["foldproof"]
