#pragma once
constexpr int width = 32;
