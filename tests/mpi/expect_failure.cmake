# cmake -D EXPECTED=<text> -P expect_failure.cmake -- <command...>
# Passes if the command ends by itself, in time, not with 0, and says EXPECTED.
set(command "")
set(after_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(index RANGE ${last})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${index}}")
  elseif(CMAKE_ARGV${index} STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} TIMEOUT 60
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status MATCHES "^[0-9]+$" OR status EQUAL 0)
  message(FATAL_ERROR "expected an exit status other than 0, got '${status}':\n${output}")
endif()
string(FIND "${output}" "${EXPECTED}" position)
if(position EQUAL -1)
  message(FATAL_ERROR "expected '${EXPECTED}' in:\n${output}")
endif()
