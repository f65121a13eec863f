// Registration functions of the benches, called by bench_main.cc.
#pragma once

namespace halftone {

void RegisterByteOperatorBenches();
void RegisterConvBenches();
void RegisterDatasetBenches();
void RegisterDispatchBenches();
void RegisterElementwiseBenches();
void RegisterGemmBenches();
void RegisterLrnBenches();
void RegisterModelBenches();
void RegisterResolveBenches();
void RegisterMovementBenches();
void RegisterPeakBenches();
void RegisterPeerBenches();
void RegisterPoolBenches();
void RegisterScalingBenches();
void RegisterSequenceBenches();

}  // namespace halftone
