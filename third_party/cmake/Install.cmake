# install: the command, the library in both forms, its public headers, find_package(ration) and pkg-config.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a program needs beside libration.a; the shared library needs nothing said.
set(words ${RATION_LINK} pthread)
if(RATION_WITH_OPENMP)
    list(APPEND words ${OpenMP_C_FLAGS})
endif()
if(RATION_WITH_MPI)
    list(APPEND words ${MPI_C_LIBRARIES})
endif()
if(TARGET ration_kernels)
    get_target_property(cudart CUDA::cudart_static IMPORTED_LOCATION)
    list(APPEND words ${cudart} rt stdc++)
endif()
target_link_libraries(ration_static INTERFACE "$<INSTALL_INTERFACE:${words}>")

install(TARGETS ration_static ration_shared EXPORT rationTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ration DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET ration_cli)
    install(TARGETS ration_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/ration)
install(EXPORT rationTargets NAMESPACE ration:: DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rationConfig.cmake.in ${PROJECT_BINARY_DIR}/rationConfig.cmake
    INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rationConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rationConfig.cmake ${PROJECT_BINARY_DIR}/rationConfigVersion.cmake
    DESTINATION ${package})

set(private "")
foreach(word ${words})
    if(word MATCHES "^[-/]")
        string(APPEND private " ${word}")
    else()
        string(APPEND private " -l${word}")
    endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/ration.pc.in ${PROJECT_BINARY_DIR}/ration.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ration.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
