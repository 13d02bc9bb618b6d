# install: the command, the library in both forms, its public headers, find_package(ration) and pkg-config.
