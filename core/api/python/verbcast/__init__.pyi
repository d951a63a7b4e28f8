# What the package offers. docs/python.md explains it.
#
# Timeouts are seconds, and None is for ever. A wait lets other threads of Python run, and ends for Ctrl-C. Times are
# nanoseconds of time.monotonic_ns(), unless they are of the stream. Any object may be used by any thread, but two that
# take or send the same at once get an Error.
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Generic, Literal, NamedTuple, TypeVar

import numpy

__version__: str

PixelFormat = Literal["rgba", "bgra", "rgb24", "x2rgb10le", "yuv420p", "nv12", "yuv422p", "uyvy422", "yuyv422",
                      "yuv444p", "yuv420p10le", "p010le", "yuv422p10le", "yuv444p10le", "gray", "v210"]
Matrix = Literal["default", "bt709", "bt601-625", "bt601-525", "bt2020"]
Primaries = Literal["default", "bt709", "bt601-625", "bt601-525", "bt2020", "p3-d65"]
Transfer = Literal["default", "bt709", "linear", "srgb", "pq", "hlg"]
Range = Literal["default", "limited", "full"]
ChromaLocation = Literal["default", "left", "centre", "top-left"]
FieldOrder = Literal["progressive", "top", "bottom"]
Alpha = Literal["default", "straight", "premultiplied", "ignored"]
State = Literal["waiting", "connecting", "connected", "streaming", "lost", "ended", "failed"]
Protection = Literal["none", "this-host", "proven", "encrypted"]
InputKind = Literal["key", "move", "button", "wheel", "touch", "release", "application"]
Rectangle = tuple[int, int, int, int]  # x, y, width, height
_Rational = int | float | str | Fraction | tuple[int, int]
_T = TypeVar("_T")

class Error(Exception):
    """A call failed; the text says what to do."""
    kind: Literal["internal", "usage", "input", "network", "resource", "peer", "device", "display", "corrupt", "closed",
                  "busy", "interrupted"]

class Closed(Error):
    """The other end has left and will not return."""

class Busy(Error):
    """There is nobody to take it now."""

class Interrupted(Error):
    """A wait was ended by interrupt(), or by close() in another thread."""

class VideoFormat:
    """What the pictures of a track are. What a receiver gets can be given to a sender unchanged."""
    def __init__(self, pixel_format: PixelFormat, width: int, height: int, fps: _Rational | None = 60, *,
                 time_base: _Rational | None = None, pixel_aspect: _Rational | None = None, rotation: int = 0,
                 matrix: Matrix = "default", primaries: Primaries = "default", transfer: Transfer = "default",
                 range: Range = "default", chroma_location: ChromaLocation = "default",
                 field_order: FieldOrder = "progressive", alpha: Alpha = "default",
                 hdr: Mapping[str, int] | None = None,  # the fields of vc_hdr
                 stride_alignment: int = 0, plane_alignment: int = 0) -> None: ...
    @property
    def pixel_format(self) -> PixelFormat: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...
    @property
    def fps(self) -> Fraction | None: ...
    @property
    def time_base(self) -> Fraction | None: ...  # None: one frame
    @property
    def pixel_aspect(self) -> Fraction | None: ...  # None: square
    @property
    def rotation(self) -> int: ...
    @property
    def matrix(self) -> Matrix: ...
    @property
    def primaries(self) -> Primaries: ...
    @property
    def transfer(self) -> Transfer: ...
    @property
    def range(self) -> Range: ...
    @property
    def chroma_location(self) -> ChromaLocation: ...
    @property
    def field_order(self) -> FieldOrder: ...
    @property
    def alpha(self) -> Alpha: ...
    @property
    def hdr(self) -> dict[str, int] | None: ...

class Buffer:
    """A plane, or sound, for memoryview(), numpy.asarray(), torch.from_dlpack() and the like: none copies."""
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]: ...  # bytes
    @property
    def readonly(self) -> bool: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _Picture:
    """Its planes in three guises, made anew each time. Each view keeps the memory."""
    @property
    def buffers(self) -> list[Buffer]: ...
    @property
    def planes(self) -> list[numpy.ndarray]: ...
    @property
    def array(self) -> numpy.ndarray: ...  # of formats with one plane
    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

class _Taken:
    def release(self) -> None:
        """What it held is free once the last view is gone, too; without this call, when it is itself."""
    @property
    def intact(self) -> bool: ...  # what was read until now is what was sent; see vc_lease_intact()
    def __enter__(self: _T) -> _T: ...
    def __exit__(self, *_: object) -> None: ...

class Frame(_Picture, _Taken):
    """A frame where it has arrived, read-only: see vc_frame."""
    @property
    def format(self) -> VideoFormat: ...  # the same object as of the frame before, unless it has changed
    @property
    def format_serial(self) -> int: ...
    @property
    def track(self) -> int: ...
    @property
    def sequence(self) -> int: ...
    @property
    def missing(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def pts(self) -> int: ...
    @property
    def time(self) -> int: ...  # of the stream, in nanoseconds
    @property
    def captured_at(self) -> int: ...
    @property
    def submitted_at(self) -> int: ...
    @property
    def arrived_at(self) -> int: ...
    @property
    def input_serial(self) -> int: ...
    @property
    def damaged(self) -> bool: ...
    @property
    def region(self) -> Rectangle: ...
    @property
    def picture_size(self) -> tuple[int, int]: ...
    @property
    def changed(self) -> list[Rectangle] | None: ...  # None: not known, or all over

class SoundBlock(_Taken):
    """At most 10 ms of sound: see vc_sound_block."""
    @property
    def array(self) -> numpy.ndarray: ...  # float32, samples x channels
    @property
    def buffer(self) -> Buffer: ...
    @property
    def rate(self) -> int: ...
    @property
    def channels(self) -> int: ...
    @property
    def samples(self) -> int: ...
    @property
    def layout(self) -> int: ...
    @property
    def time(self) -> int: ...  # of the stream, in nanoseconds
    @property
    def captured_at(self) -> int: ...
    @property
    def arrived_at(self) -> int: ...
    @property
    def sequence(self) -> int: ...
    @property
    def missing(self) -> int: ...

class Slot(_Picture):
    """A place in a sender's ring, to fill. In a with statement it is sent at the end, or discarded by an exception."""
    pts: int
    captured_at: int
    input_serial: int
    damaged: bool
    changed: Sequence[Rectangle] | None  # since the frame sent before; None: not known
    @property
    def track(self) -> int: ...
    def submit(self) -> None:
        """Sends it. BufferError while arrays or buffers refer to it. Busy: a lossless sender has no viewer; the slot is
        not sent."""
    def discard(self) -> None: ...
    def __enter__(self) -> Slot: ...
    def __exit__(self, *_: object) -> None: ...

class Input(NamedTuple):
    """What a viewer does: see vc_input."""
    kind: InputKind
    pressed: bool = False
    code: int = 0
    x: float = 0.0
    y: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    data: bytes = b""
    serial: int = 0
    viewer: int = 0
    viewer_name: str = ""

class Event(NamedTuple):
    """What has changed: see vc_event."""
    kind: Literal["state", "format", "sound-format"]
    track: int
    state: State
    text: str
    reason: str

class Connection(NamedTuple):
    """See vc_connection."""
    state: State
    text: str
    reason: str
    peer_name: str
    peer_address: str
    transport: str
    transport_reason: str
    key_name: str
    protection: Protection
    over: bool
    input_allowed: bool
    has_sound: bool

class Viewer(NamedTuple):
    """See vc_viewer."""
    id: int
    name: str
    address: str
    transport: str
    key_name: str
    protection: Protection
    frames_sent: int
    frames_dropped: int
    frames_lost: int
    bytes: int
    frames_shown: int
    frames_skipped: int
    latency_p50: float | None  # microseconds
    latency_p99: float | None

class Stream(Generic[_T]):
    """What a receiver brings, one by one, until it is over: for `for` and for `async for`."""
    def __iter__(self) -> Iterator[_T]: ...
    def __next__(self) -> _T: ...
    def __aiter__(self) -> AsyncIterator[_T]: ...
    async def __anext__(self) -> _T: ...

class Receiver:
    """Receives one stream: see vc_receiver_options."""
    def __init__(self, url: str | None = None, *, listen: bool = False,
                 follow: Literal["forever", "stream", "connection"] = "stream", slots: int = 0, max_memory: int = 0,
                 poll: bool = False, name: str | None = None, peer_timeout: float = 0,
                 key_file: str | PathLike[str] | None = None, encrypt: bool = False, open: bool = False,
                 sound: bool = False,
                 # Wanted tracks, or of each the wanted region; None: track 0, or all of the picture.
                 tracks: Iterable[int] | Mapping[int, Rectangle | None] | None = None,
                 # Pictures are wanted in the memory of this GPU, as CUDA counts; only DLPack views them there.
                 gpu: int | None = None) -> None: ...
    def take(self, newest: bool = False, timeout: float | None = None, track: int = 0) -> Frame | None:
        """None: the time is up. Closed: there will be no more."""
    def take_sound(self, timeout: float | None = None) -> SoundBlock | None: ...
    def next_event(self, timeout: float | None = None) -> Event | None: ...
    def frames(self, newest: bool = False, track: int = 0) -> Stream[Frame]: ...
    def sounds(self) -> Stream[SoundBlock]: ...
    def events(self) -> Stream[Event]: ...
    def shown(self, frame: Frame, at: int | None = None) -> None:
        """The frame was on the screen at that time, or consumed now: for the statistics of both ends."""
    def send_input(self, event: Input) -> int | None:
        """The event's serial number; None: the sender takes none now."""
    @property
    def addresses(self) -> list[str]: ...
    @property
    def connection(self) -> Connection: ...
    def stats(self, track: int = 0) -> dict[str, Any]:
        """The fields of vc_stats; None is what is not known."""
    def full_stats(self) -> dict[str, Any]:
        """As `verbcast view --stats-json` writes them."""
    def descriptor(self) -> int:
        """See vc_receiver_descriptor(). The caller closes it: os.close()."""
    def interrupt(self, on: bool = True) -> None:
        """Ends all waits for it, with Interrupted, and lets none begin; False lets them begin again."""
    def close(self) -> None:
        """Frames that were taken stay readable."""
    def __iter__(self) -> Iterator[Frame]: ...
    def __aiter__(self) -> AsyncIterator[Frame]: ...
    def __enter__(self) -> Receiver: ...
    def __exit__(self, *_: object) -> None: ...

class Sender:
    """Sends to any number of viewers: see vc_sender_options. At the end of a with statement, viewers get 10 seconds to
    take what was sent."""
    def __init__(self, url: str | None = None, *, connect: bool = False,
                 policy: Literal["latest", "lossless"] = "latest", slots: int = 0, poll: bool = False,
                 allow_input: bool = False, name: str | None = None, key_file: str | PathLike[str] | None = None,
                 encrypt: bool = False, open: bool = False, sound: bool = False) -> None: ...
    # A VideoFormat, or what one is made of.
    def format(self, *arguments: Any, track: int = 0, **fields: Any) -> None: ...
    def wait(self, timeout: float | None = None) -> bool:
        """Whether there is a viewer now."""
    def frame(self, timeout: float | None = None, track: int = 0) -> Slot:
        """A place for the next frame. TimeoutError: none was free in time."""
    def send(self, picture: Any, *, timeout: float | None = None, track: int = 0, pts: int = ...,
             captured_at: int = ..., input_serial: int = ..., damaged: bool = ..., changed: Sequence[Rectangle] | None = ...) -> None:
        """Copies an array, or a list with one for each plane, into a slot, and sends it."""
    def send_sound(self, samples: Any, rate: int, time: int | None = None, layout: int = 0,
                   captured_at: int = 0) -> None:
        """An array of float32, samples x channels, or samples. Without a time it follows the sound before."""
    def take_input(self, timeout: float | None = None) -> Input | None: ...
    def inputs(self) -> Iterator[Input]:
        """Those that are there."""
    @property
    def addresses(self) -> list[str]: ...
    @property
    def viewers(self) -> list[Viewer]: ...
    def stats(self) -> dict[str, Any]:
        """The fields of vc_stats; None is what is not known."""
    def full_stats(self) -> dict[str, Any]:
        """As `verbcast send --stats-json` writes them."""
    def finish(self, reason: str = "end of stream", timeout: float | None = None) -> bool:
        """Ends the stream; whether all viewers have taken all of it in time."""
    def interrupt(self, on: bool = True) -> None:
        """Ends all waits for it, with Interrupted, and lets none begin; False lets them begin again."""
    def close(self) -> None: ...
    def __enter__(self) -> Sender: ...
    def __exit__(self, *_: object) -> None: ...
