/// The figures that the rules decide by, each with the recording or the reason that sets it.
/// Recordings are those of tests/data/faults (H200, built-in decode step of 4.5 ms).
///
/// Noise is not here: a part has to be beyond the interval of its rows (unclaimed.h, matters()).
#pragma once

namespace perfgate::analysis {

// Counts a step: means over the steps of a window.

/// A call in every second step is the least that is called "a call a step".
inline constexpr double kOneCall = 0.5;
/// A call in every twentieth step: an allocation or a launch this rare still costs.
inline constexpr double kRareCall = 0.05;
/// A module load in 200 steps: one load takes 2 ms (jit), i.e. 10 us of every such step.
inline constexpr double kRareLoad = 0.005;
/// "1 call", not "1.2 calls": what is printed as one.
inline constexpr double kMoreThanOne = 1.05;
/// Calls that differ by less than this are as many: a loop that does not divide by the steps.
inline constexpr double kAsManyCalls = 0.05;
/// New kernels do the work of those that are gone if nine of ten calls came back.
inline constexpr double kComplete = 0.9;

// Graphs.

/// From half of the graph launches on the graph is "off" (graphs_off loses all of them).
inline constexpr double kGraphsLost = 0.5;
/// A base of fewer launch calls than half its kernels, and a head of as many as nine tenths: only
/// graphs do that (227 kernels, 1 call).
inline constexpr double kKernelsPerCall = 0.5;
/// A kernel of a graph starts while the one before it ends; one launched alone loses 0.5 us in
/// graphs_off (0.116 ms over 226 launches); four times that is the bound.
inline constexpr double kLostPerLaunchMs = 0.002;

// Idle time.

/// A host gap this much longer is work, not the pace of launches (7 to 16 us a launch).
inline constexpr double kLongGapMs = 0.02;
/// ... if it comes once or twice a step: a gap at every layer is a pace.
inline constexpr double kFewGaps = 2.5;
/// A break uncovers at most a kernel that ran beside another: the norms of the step are charged
/// with 5.7 us each.
inline constexpr double kLostOverlapMs = 0.005;
/// Between a wait's return and the next launch call the built-in step needs 7 to 16 us.
inline constexpr double kLongAfterWaitMs = 0.05;
/// A gap that holds half of what the host adds is the place of it.
inline constexpr double kMostOfIt = 0.5;

// Splits and swaps of kernels.

/// split_launch makes 16 out of 1; half as many again is the least that a loop over chunks makes.
inline constexpr double kSplitGain = 1.5;
/// A chunk is shorter than the whole; within a tenth it is the same work once more.
inline constexpr double kShorterLaunch = 0.9;
/// Above this share of the new calls, calls of other names went away: a swap, not a split.
inline constexpr double kCallsOfOthers = 0.5;
/// A fused kernel comes apart into two or more (unfused_norm: 64 -> 192); a quarter more calls
/// holds where only some layers do.
inline constexpr double kUnfusedGain = 1.25;
/// A kernel that comes less often than this share of what is gone is another change: 1 beside 64.
inline constexpr double kComesAsOften = 0.25;
/// A split halves the threads at least (no_split_k: to an eighth); three quarters leave room for a
/// rounding of blocks.
inline constexpr double kFewerThreads = 0.75;

// Attention.

/// Less than 5 % is what input values do: context_1040 against 1024 shows 1.5 %.
inline constexpr double kLongerAttention = 1.05;
/// The other families must have grown by a third of it at most: all slower is the machine.
inline constexpr double kBesideOthers = 3.0;
/// What a lost graph can add to a kernel.
inline constexpr double kLostGraphUs = 2.0;

// Copies.

/// A tenth more bytes, and a kilobyte: a counter that grew by a digit is no transfer.
inline constexpr double kMoreBytes = 1.1;
inline constexpr double kLeastBytes = 1024.0;

// The machine.

/// Share of the step's change below which a rest beside other causes is not worth a name: alloc
/// leaves 3 % in kernels that run after it.
inline constexpr double kNotableRest = 0.2;
/// SM clocks move in steps of 15 MHz (0.8 % of 1980): one step is no fall.
inline constexpr double kLowerClock = 0.99;
/// Below this share a clock is that of an idle GPU: the sample came too late.
inline constexpr double kIdleClock = 0.5;
/// Time goes at most as 1 / clock; half as much again for a sample that came after the lowest.
inline constexpr double kClockSlack = 1.5;
/// A slowdown with this share in one family is not the machine's, which takes all.
inline constexpr double kOneFamily = 0.9;
/// Compute that grew by more than half of it may hide less or wait itself.
inline constexpr double kComputeBeside = 0.5;

// Counts without kernels (a store).

/// A launch is given at most twice the time of the base's mean launch.
inline constexpr double kPlausibleLaunch = 2.0;

// Words.

/// Below a microsecond a consequence is not worth a sentence.
inline constexpr double kWorthWordsMs = 0.001;

}  // namespace perfgate::analysis
