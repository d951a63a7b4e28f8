# The further suites of `scripts/test --all`: what the everyday ones leave out, and what shows over verbs what it shows over
# tcp.

# Nowhere over verbs, for they take long on emulated processors and show nothing more there: rails cut at many moments, how
# fast one is beside slow ones, and two hops beside one and three. This file system cannot be read past the page cache, as
# DiskInput wants.
set(nowhere *ARailThatIsCut* *DiskInput* *CostAFastOneNothing* *APauseOfTheSource* *_2_hops*)
set(forking *PeerFaults*/verbs* *Killed*/verbs*)
# guest_rest(NAME PROGRAM FILTER...): without what is everyday.
function(guest_rest name program)
    list(APPEND left_out ${everyday_${name}} ${nowhere} ${forking})
    list(JOIN left_out : left_out)
    list(JOIN ARGN : filter)
    guest_tests(thorough ${name} ${program} ${filter}:-${left_out} ${before_${name}})
endfunction()

if(TARGET verbcast-kms)
    guest_suite(thorough displays_further NEEDS verbcast-kms COMMAND ${in_guest} further $python)
endif()
guest_rest(contract rdma_contract_test */verbs* */ofi_verbs*)
guest_rest(transport transport_test */verbs*)
guest_rest(stream stream_test */verbs*)
guest_forking_tests(thorough stream_forking stream_test "${forking}")
guest_rest(session session_test */verbs*)
guest_rest(flow flow_test */verbs*)
guest_rest(regions regions_test */verbs*)
guest_rest(sync sync_test */verbs*)
guest_rest(rails rails_test */verbs*)
guest_rest(pipe pipe_test */verbs*)
guest_forking_tests(thorough pipe_forking pipe_test "${forking}")
guest_rest(gpu_frames gpu_frames_test */verbs*)
guest_rest(ofi ofi_test */verbs*)
guest_rest(programs app_test *EveryFormat.OddSizes*/verbs_*)
# One siege of each kind of victim, and those that reach what only RDMA has, credits and remote writes. VerbsHostile is
# everyday.
guest_rest(hostile hostile_test *.AGreetingReplayed/verbs_sender *.CreditsNeverGiven/verbs_sender
           *.AnnouncementsOf16384x16384/verbs_viewer *.FramesOfTracksAndSlots*/verbs_viewer *.TheLargestRing*/verbs_pipe)
guest_rest(cameras camera_tests *)
guest_rest(dmabufs dmabuf_tests *)
guest_suite(thorough gpu NEEDS cuda_double full_bar1
            COMMAND $python ${tests}/core/gpu/gpu_in_guest.py $<TARGET_FILE:verbcast> $<TARGET_FILE_DIR:cuda_double> $<TARGET_FILE:full_bar1> large)
guest_rest(nodes node_frames_guest_test *)
guest_suite(thorough multicast COMMAND $python ${tests}/core/multicast/multicast_rdma.py $<TARGET_FILE:verbcast> more)
