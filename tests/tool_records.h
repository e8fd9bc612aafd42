// Output of compute-sanitizer, for tests that replace the tool with a script.
#pragma once

#include <string>

namespace foldproof::test {

/// racecheck's record of two writes in /src/put.cu, attributed to the process's launch number `launch`,
/// counted from 1.
inline std::string hazard(unsigned launch, const std::string& function) {
  std::string threads;
  for (const char* number : {"0", "1"})
    threads += std::string("<thread") + number + "><access>Write</access><threadIdx><x>" +
               (number[0] == '0' ? "0" : "64") + "</x><y>0</y><z>0</z></threadIdx><where><func>" + function +
               "</func><path>/src/put.cu</path><line>3</line><pc>0x10</pc></where></thread" + number + ">";
  return "<record><kind>Hazard</kind><what><text>Potential WAW hazard detected</text><common><gridid>" +
         std::to_string(launch) +
         "</gridid><type>WAW</type><address>0x1</address><blockIdx><x>0</x><y>0</y><z>0</z></blockIdx></"
         "common>" +
         threads + "</what></record>";
}

/// The file that the tool writes for these records.
inline std::string records_file(const std::string& records) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>" + records +
         "</ComputeSanitizerOutput>\n";
}

}  // namespace foldproof::test
