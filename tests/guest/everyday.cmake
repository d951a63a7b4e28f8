# The suites of `scripts/test`, in this order: what has a path of its own over RDMA or on that hardware, once each, and of what
# is the same everywhere that it works there at all.

# First, for the text console comes and goes on the displays.
if(TARGET verbcast-kms)
    set(in_guest ${tests}/kms/in_guest $<TARGET_FILE:verbcast> "\"$displays\"")
    guest_suite(everyday displays NEEDS verbcast-kms COMMAND ${in_guest} everyday $python)
endif()
guest_tests(everyday rdma rdma_tests -TwoHosts.*:DeviceRemoval.*)
# Large frames once, over verbs with immediates; over libfabric's verbs that each kind of thing arrives.
set(everyday_contract
    *RdmaContract*/verbs
    *RdmaContract.messages*/verbs_withoutImmediates
    *RdmaContract.aSilentReceiver*/verbs_withoutImmediates
    *RdmaContract.rectangles*/verbs_withoutImmediates
    *RdmaContract.manyFrames*/verbs_withoutImmediates
    *RdmaContract.aNewRing*/verbs_withoutImmediates
    *RdmaContract.closing*/verbs_withoutImmediates
    *RdmaContract.messages*/ofi_verbs
    *RdmaContract.rectangles*/ofi_verbs
    *RdmaContract.manyFrames*/ofi_verbs
    *RdmaContract.aNewRing*/ofi_verbs
    *RdmaContract.closing*/ofi_verbs
    *RdmaContract.severalPeers*/ofi_verbs)
guest_tests(everyday contract rdma_contract_test "${everyday_contract}")
set(everyday_ofi
    *Ofi.describesBothEnds/verbs
    *Ofi.aPeerThatVanishes*/verbs
    *Ofi.nobodyListening*/verbs
    *Ofi.bothEndsAreOfThisUser/verbs
    *Ofi.writingIntoARetiredRing*/verbs)
guest_tests(everyday ofi ofi_test "${everyday_ofi}")
# Without payloads and rectangles of every size, which RdmaContract sends.
set(everyday_transport
    *TransportContract.DescribesItself/verbs
    *TransportContract.Messages*/verbs
    *TransportContract.ThousandsOfMessages*/verbs
    *TransportContract.*Flood*/verbs
    *TransportContract.AnOrderlyClose*/verbs
    *TransportContract.WhatWasSaid*/verbs
    *TransportContract.AFrameAfterTheEnd*/verbs
    *TransportContract.SeveralPeers*/verbs
    *TransportContract.NobodyListening*/verbs
    *TransportContract.AnAddressInUse*/verbs
    *TransportContract.CancelledConnecting*/verbs
    *TransportContract.ConnectionsThatCome*/verbs
    *WrittenFrameContract.WritingIntoARetiredRing*/verbs
    *WrittenFrameContract.ASourceThatIsReplaced*/verbs
    *WrittenFrameContract.Rows*/verbs
    */FrameContract.AllOfTheInfo*/verbs
    */FrameContract.TakesNoMore*/verbs
    */FrameContract.*Ring*/verbs
    */FrameContract.FramesGoOnly*/verbs
    */FrameContract.AnOfferInside*/verbs
    */FrameContract.ImpossibleOffers*/verbs
    */FrameContract.AsManyRectangles*/verbs
    */FrameContract.FramesThatCannotBe*/verbs
    */FrameContract.MessagesPass*/verbs
    */FrameContract.FramesLeave*/verbs)
guest_tests(everyday transport transport_test "${everyday_transport}")
# Not the waits, and not each breach of the protocol, which the session judges alike over all transports.
set(everyday_stream
    *SessionMeeting.EitherSide*/verbs
    *SessionMeeting.AReceiver*/verbs
    *SessionMeeting.Cancelling*/verbs
    *SessionMeeting.ACallerMayLeave*/verbs
    */Session.FramesThat*/verbs
    */Session.TheWaitFor*/verbs
    */Session.ASlowReceiverHoldsUp*/verbs
    */Session.LatestDrops*/verbs
    */Session.SizeAndFormat*/verbs
    */Session.FramesHeld*/verbs
    *BrokenProtocol.CreditsForSlots*/verbs
    *BrokenProtocol.ABrokenPeer*/verbs
    *BrokenProtocol.APeerThatNever*/verbs
    *BrokenSender.AStreamLarger*/verbs
    *BrokenSender.AFrame*/verbs
    *BrokenSender.ReceiverTakes*/verbs
    */Input.Arrives*/verbs
    */Input.TwoViewers*/verbs)
guest_tests(everyday stream stream_test "${everyday_stream}")
# A whole program.
set(everyday_programs *EveryFormat.OddSizes*/verbs_yuv420p)
guest_tests(everyday programs app_test "${everyday_programs}")
set(everyday_cameras
    CameraBuffers.*
    CameraDevice.*
    CameraSource.*
    CameraProgram.DevicesAreListed*
    CameraProgram.ArrivesWhole*
    CameraProgram.SeveralAre*
    CameraProgram.GoesOnAfter*)
set(before_cameras VERBCAST_VIRTUAL_CAMERAS=3)
guest_tests(everyday cameras camera_tests "${everyday_cameras}" ${before_cameras})
# OpenGL in software takes most of the time: pictures are imported and drawn into once each.
set(everyday_dmabufs
    DmaBufMemory.*
    RegisteredBuffers.*
    ProcessorReadsTest.*
    ImportedPicture.WhatIsWritten*
    ImportedPicture.HoldsItsSlot*
    SlotTargetsTest.AreShownWithoutAnUpload)
# Without the displays' card, which the program would take first.
set(before_dmabufs rm -f /dev/dri/card0 /dev/dri/renderD128 &&)
guest_tests(everyday dmabufs dmabuf_tests "${everyday_dmabufs}" ${before_dmabufs})
# The same with buffers of a stand-in: node_frames_test, without a guest.
set(everyday_nodes NodeFramesTest.PicturesStayIn* NodeFramesTest.ViewersOfThisMachine*)
guest_tests(everyday nodes node_frames_guest_test "${everyday_nodes}")
guest_suite(everyday gpu NEEDS cuda_double full_bar1
            COMMAND $python ${tests}/core/gpu/gpu_in_guest.py $<TARGET_FILE:verbcast> $<TARGET_FILE_DIR:cuda_double> $<TARGET_FILE:full_bar1>)
guest_suite(everyday numa COMMAND $python ${tests}/core/memory/numa_in_guest.py $<TARGET_FILE:verbcast>)
# Takes the device away, and gives it back.
guest_tests(everyday removal rdma_tests DeviceRemoval.*)
# Last, for it adds devices.
guest_suite(everyday multicast COMMAND $python ${tests}/core/multicast/multicast_rdma.py $<TARGET_FILE:verbcast>)
