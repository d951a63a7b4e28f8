<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>verbcast::ChildProgram</name>
    <message>
        <source>it ended with exit code %1</source>
        <translation>es endete mit dem Exitcode %1</translation>
    </message>
    <message>
        <source>%1 (exit code %2)</source>
        <translation>%1 (Exitcode %2)</translation>
    </message>
    <message>
        <source>verbcast cannot be started: %1</source>
        <translation>verbcast lässt sich nicht starten: %1</translation>
    </message>
    <message>
        <source>reinstall Verbcast: verbcast and its window must be installed together</source>
        <translation>installieren Sie Verbcast neu: verbcast und sein Fenster müssen zusammen installiert sein</translation>
    </message>
</context>
<context>
    <name>verbcast::ChoiceCombo</name>
    <message>
        <source>not</source>
        <translation>nicht</translation>
    </message>
</context>
<context>
    <name>verbcast::CommandBar</name>
    <message>
        <source>Command line</source>
        <translation>Befehlszeile</translation>
    </message>
    <message>
        <source>The command that this page runs; the window adds only options to monitor it and to control files</source>
        <translation>Der Befehl, den diese Seite ausführt; das Fenster ergänzt nur Optionen, um ihn zu beobachten und Dateien zu steuern</translation>
    </message>
    <message>
        <source>no command yet: see what is missing</source>
        <translation>noch kein Befehl: siehe, was fehlt</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>&amp;Kopieren</translation>
    </message>
    <message>
        <source>Copy the command line (Ctrl+Shift+C)</source>
        <translation>Die Befehlszeile kopieren (Strg+Umschalt+C)</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>Kopiert</translation>
    </message>
</context>
<context>
    <name>verbcast::ConnectDialog</name>
    <message>
        <source>the fastest way that works</source>
        <translation>der schnellste Weg, der funktioniert</translation>
    </message>
    <message>
        <source>InfiniBand or RoCE</source>
        <translation>InfiniBand oder RoCE</translation>
    </message>
    <message>
        <source>any network</source>
        <translation>jedes Netzwerk</translation>
    </message>
    <message>
        <source>a sender on this machine</source>
        <translation>ein Sender auf diesem Rechner</translation>
    </message>
    <message>
        <source>&amp;Connect to a sender</source>
        <translation>Mit einem Sender &amp;verbinden</translation>
    </message>
    <message>
        <source>&amp;Wait for a sender</source>
        <translation>Auf einen Sender &amp;warten</translation>
    </message>
    <message>
        <source>Verbcast - Connect</source>
        <translation>Verbcast - Verbinden</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Problem with the address</source>
        <translation>Problem mit der Adresse</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>&amp;Schlüssel</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>Wait</source>
        <translation>Warten</translation>
    </message>
    <message>
        <source>Type an address; the examples below show what it can look like.</source>
        <translation>Geben Sie eine Adresse ein; die Beispiele unten zeigen, wie sie aussehen kann.</translation>
    </message>
    <message>
        <source>Verbcast - Add a stream</source>
        <translation>Verbcast - Stream hinzufügen</translation>
    </message>
</context>
<context>
    <name>verbcast::CoreWords</name>
    <message>
        <source>Grid</source>
        <translation>Raster</translation>
    </message>
    <message>
        <source>One large</source>
        <translation>Eines groß</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Nebeneinander</translation>
    </message>
    <message>
        <source>Picture in picture</source>
        <translation>Bild im Bild</translation>
    </message>
    <message>
        <source>Wipe</source>
        <translation>Wischblende</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>Differenz</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>Frei</translation>
    </message>
    <message>
        <source>Stereo, side by side</source>
        <translation>Stereo, nebeneinander</translation>
    </message>
    <message>
        <source>Stereo, half width</source>
        <translation>Stereo, halbe Breite</translation>
    </message>
    <message>
        <source>Stereo, anaglyph</source>
        <translation>Stereo, Anaglyphe</translation>
    </message>
    <message>
        <source>Stereo, interlaced</source>
        <translation>Stereo, zeilenweise</translation>
    </message>
    <message>
        <source>Stereo, page flip</source>
        <translation>Stereo, Bildwechsel</translation>
    </message>
    <message>
        <source>anybody: no key; anyone on the network can read and change everything</source>
        <translation>jeder: kein Schlüssel; jeder auf dem Weg kann alles lesen und ändern</translation>
    </message>
    <message>
        <source>a program on this machine, without a key</source>
        <translation>ein Programm auf diesem Rechner, ohne Schlüssel</translation>
    </message>
    <message>
        <source>authenticated by its key; messages are encrypted, pictures are not</source>
        <translation>durch seinen Schlüssel ausgewiesen; Nachrichten sind verschlüsselt, Bilder nicht</translation>
    </message>
    <message>
        <source>authenticated by its key; everything is encrypted</source>
        <translation>durch seinen Schlüssel ausgewiesen; alles ist verschlüsselt</translation>
    </message>
    <message>
        <source>75% colour bars (SMPTE RP 219) with a line that moves</source>
        <translation>Farbbalken 75 % (SMPTE RP 219) mit einer wandernden Linie</translation>
    </message>
    <message>
        <source>smooth colours that move sideways</source>
        <translation>weiche Farben, die seitwärts wandern</translation>
    </message>
    <message>
        <source>new noise in every frame: nothing to compress or predict</source>
        <translation>neues Rauschen in jedem Bild: nichts lässt sich komprimieren oder erraten</translation>
    </message>
    <message>
        <source>zone plate up to the finest detail, panning</source>
        <translation>Zonenplatte bis ins feinste Detail, mit Schwenk</translation>
    </message>
    <message>
        <source>large frame counter and time code</source>
        <translation>großer Bildzähler und Timecode</translation>
    </message>
    <message>
        <source>black, and white at each whole second</source>
        <translation>schwarz, und weiß zu jeder vollen Sekunde</translation>
    </message>
    <message>
        <source>waves running through a field of pillars</source>
        <translation>ein Feld aus Säulen, durch das Wellen laufen</translation>
    </message>
    <message>
        <source>boulders orbiting a light, each on its own path</source>
        <translation>Felsbrocken, die um ein Licht kreisen, jeder auf seiner eigenen Bahn</translation>
    </message>
    <message>
        <source>packed RGB with alpha, 8 bits</source>
        <translation>gepacktes RGB mit Alpha, 8 Bit</translation>
    </message>
    <message>
        <source>packed BGR with alpha, 8 bits</source>
        <translation>gepacktes BGR mit Alpha, 8 Bit</translation>
    </message>
    <message>
        <source>packed RGB, 8 bits</source>
        <translation>gepacktes RGB, 8 Bit</translation>
    </message>
    <message>
        <source>packed RGB, 10 bits in a 32-bit word</source>
        <translation>gepacktes RGB, 10 Bit in einem 32-Bit-Wort</translation>
    </message>
    <message>
        <source>planar 4:2:0, 8 bits</source>
        <translation>planares 4:2:0, 8 Bit</translation>
    </message>
    <message>
        <source>semi-planar 4:2:0, 8 bits</source>
        <translation>semiplanares 4:2:0, 8 Bit</translation>
    </message>
    <message>
        <source>planar 4:2:2, 8 bits</source>
        <translation>planares 4:2:2, 8 Bit</translation>
    </message>
    <message>
        <source>packed 4:2:2, Cb Y Cr Y, 8 bits</source>
        <translation>gepacktes 4:2:2, Cb Y Cr Y, 8 Bit</translation>
    </message>
    <message>
        <source>packed 4:2:2, Y Cb Y Cr, 8 bits</source>
        <translation>gepacktes 4:2:2, Y Cb Y Cr, 8 Bit</translation>
    </message>
    <message>
        <source>planar 4:4:4, 8 bits</source>
        <translation>planares 4:4:4, 8 Bit</translation>
    </message>
    <message>
        <source>planar 4:2:0, 10 bits in the low bits of 16</source>
        <translation>planares 4:2:0, 10 Bit in den unteren von 16 Bit</translation>
    </message>
    <message>
        <source>semi-planar 4:2:0, 10 bits in the high bits of 16</source>
        <translation>semiplanares 4:2:0, 10 Bit in den oberen von 16 Bit</translation>
    </message>
    <message>
        <source>planar 4:2:2, 10 bits in the low bits of 16</source>
        <translation>planares 4:2:2, 10 Bit in den unteren von 16 Bit</translation>
    </message>
    <message>
        <source>planar 4:4:4, 10 bits in the low bits of 16</source>
        <translation>planares 4:4:4, 10 Bit in den unteren von 16 Bit</translation>
    </message>
    <message>
        <source>packed 4:2:2, 10 bits, 6 pixels in 16 bytes (SDI)</source>
        <translation>gepacktes 4:2:2, 10 Bit, 6 Pixel in 16 Byte (SDI)</translation>
    </message>
    <message>
        <source>waiting for a sender on %1</source>
        <translation>warten auf einen Sender an %1</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>verbinden mit %1</translation>
    </message>
    <message>
        <source>nobody is listening on %1</source>
        <translation>an %1 wartet noch niemand</translation>
    </message>
    <message>
        <source>end of stream</source>
        <translation>Ende des Streams</translation>
    </message>
    <message>
        <source>luma only, 8 bits</source>
        <translation>nur Helligkeit, 8 Bit</translation>
    </message>
    <message>
        <source>as asked for</source>
        <translation>wie verlangt</translation>
    </message>
    <message>
        <source>chosen by the peer</source>
        <translation>von der Gegenseite gewählt</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>abgebrochen</translation>
    </message>
    <message>
        <source>A frame is dropped if it was never sent, because the viewer was not ready for it.</source>
        <translation>Ein Bild gilt als verworfen, wenn es den Empfänger nie erreicht, weil er nicht dafür bereit war.</translation>
    </message>
    <message>
        <source>A frame is skipped if it arrived but was not shown, because a newer one had arrived, the viewer was paused, or it ended.</source>
        <translation>Ein Bild gilt als ausgelassen, wenn es ankommt, aber nicht gezeigt wird: weil schon ein neueres da war, der Empfänger angehalten war oder sich beendet hat.</translation>
    </message>
    <message>
        <source>A paused viewer keeps its picture; the stream continues.</source>
        <translation>Ein angehaltener Empfänger behält sein Bild; der Stream läuft weiter.</translation>
    </message>
    <message>
        <source>rows and columns</source>
        <translation>Zeilen und Spalten</translation>
    </message>
    <message>
        <source>one large, the others beside it</source>
        <translation>eines groß, die anderen daneben</translation>
    </message>
    <message>
        <source>side by side</source>
        <translation>nebeneinander</translation>
    </message>
    <message>
        <source>picture in picture</source>
        <translation>Bild im Bild</translation>
    </message>
    <message>
        <source>two in one place, on either side of a line that can be dragged</source>
        <translation>zwei am selben Platz, beiderseits einer verschiebbaren Linie</translation>
    </message>
    <message>
        <source>the difference of two, with numbers</source>
        <translation>wie sehr sich zwei unterscheiden, mit Zahlen</translation>
    </message>
    <message>
        <source>stereo: side by side, half of the window for each eye</source>
        <translation>Stereo: nebeneinander, je Auge eine Hälfte des Fensters</translation>
    </message>
    <message>
        <source>stereo: side by side, each squeezed to half of its width</source>
        <translation>Stereo: nebeneinander, je auf halbe Breite gestaucht</translation>
    </message>
    <message>
        <source>stereo: for red and cyan glasses</source>
        <translation>Stereo: für eine Brille in Rot und Cyan</translation>
    </message>
    <message>
        <source>stereo: alternate rows of the screen for each eye</source>
        <translation>Stereo: die Bildschirmzeilen abwechselnd je Auge</translation>
    </message>
    <message>
        <source>stereo: alternate pictures for each eye, if the display supports it</source>
        <translation>Stereo: Bilder abwechselnd je Auge, wo die Anzeige es kann</translation>
    </message>
    <message>
        <source>placed freely, over or under each other</source>
        <translation>frei angeordnet, über- oder untereinander</translation>
    </message>
    <message>
        <source>no PipeWire runs, and ALSA has no device that plays</source>
        <translation>kein PipeWire läuft, und ALSA hat kein Gerät zum Abspielen</translation>
    </message>
    <message>
        <source>PipeWire has ended</source>
        <translation>PipeWire hat geendet</translation>
    </message>
    <message>
        <source>PipeWire has no device that plays</source>
        <translation>PipeWire hat kein Gerät zum Abspielen</translation>
    </message>
    <message>
        <source>PipeWire has no %1</source>
        <translation>PipeWire hat kein %1</translation>
    </message>
    <message>
        <source>there is no sound output %1</source>
        <translation>es gibt keine Tonausgabe %1</translation>
    </message>
</context>
<context>
    <name>verbcast::DisplayForm</name>
    <message>
        <source>Turned</source>
        <translation>Gedreht</translation>
    </message>
    <message>
        <source>How far the picture is rotated on the screen, clockwise</source>
        <translation>Wie weit der Bildschirm das Bild gedreht zeigt, im Uhrzeigersinn</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>With which the display&apos;s viewer asks for its part</source>
        <translation>Unter dem der Empfänger der Anzeige nach seinem Teil fragt</translation>
    </message>
    <message>
        <source>Left edge</source>
        <translation>Linke Kante</translation>
    </message>
    <message>
        <source>Pixels from the left of the picture</source>
        <translation>Pixel vom linken Rand des Bildes</translation>
    </message>
    <message>
        <source>Top edge</source>
        <translation>Obere Kante</translation>
    </message>
    <message>
        <source>Pixels from the top of the picture</source>
        <translation>Pixel vom oberen Rand des Bildes</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>Breite</translation>
    </message>
    <message>
        <source>Pixels of the picture that it shows across</source>
        <translation>Pixel des Bildes, die sie nebeneinander zeigt</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>Höhe</translation>
    </message>
    <message>
        <source>Pixels of the picture that it shows down</source>
        <translation>Pixel des Bildes, die sie untereinander zeigt</translation>
    </message>
    <message>
        <source>Pixels over which it fades where another display shows the same</source>
        <translation>Pixel, über die sie ausblendet, wo eine andere Anzeige dasselbe zeigt</translation>
    </message>
    <message>
        <source>Fades at the left</source>
        <translation>Blendet links aus</translation>
    </message>
    <message>
        <source>Fades at the right</source>
        <translation>Blendet rechts aus</translation>
    </message>
    <message>
        <source>Fades at the top</source>
        <translation>Blendet oben aus</translation>
    </message>
    <message>
        <source>Fades at the bottom</source>
        <translation>Blendet unten aus</translation>
    </message>
    <message>
        <source>Gamma of fading</source>
        <translation>Gamma des Ausblendens</translation>
    </message>
    <message>
        <source>Of the display: light is code to this power</source>
        <translation>Der Anzeige: Licht ist Code hoch diese Zahl</translation>
    </message>
    <message>
        <source>In parts of the screen, from its top left corner; 0 and 1: not warped</source>
        <translation>In Teilen des Bildschirms, von seiner Ecke oben links; 0 und 1: nicht verzerrt</translation>
    </message>
    <message>
        <source>Top left corner, across</source>
        <translation>Ecke oben links, waagerecht</translation>
    </message>
    <message>
        <source>Top left corner, down</source>
        <translation>Ecke oben links, senkrecht</translation>
    </message>
    <message>
        <source>Top right corner, across</source>
        <translation>Ecke oben rechts, waagerecht</translation>
    </message>
    <message>
        <source>Top right corner, down</source>
        <translation>Ecke oben rechts, senkrecht</translation>
    </message>
    <message>
        <source>Bottom right corner, across</source>
        <translation>Ecke unten rechts, waagerecht</translation>
    </message>
    <message>
        <source>Bottom right corner, down</source>
        <translation>Ecke unten rechts, senkrecht</translation>
    </message>
    <message>
        <source>Bottom left corner, across</source>
        <translation>Ecke unten links, waagerecht</translation>
    </message>
    <message>
        <source>Bottom left corner, down</source>
        <translation>Ecke unten links, senkrecht</translation>
    </message>
    <message>
        <source>Gain of red</source>
        <translation>Verstärkung von Rot</translation>
    </message>
    <message>
        <source>The display&apos;s red relative to the picture&apos;s</source>
        <translation>Das Rot der Anzeige im Verhältnis zu dem des Bildes</translation>
    </message>
    <message>
        <source>Gain of green</source>
        <translation>Verstärkung von Grün</translation>
    </message>
    <message>
        <source>The display&apos;s green relative to the picture&apos;s</source>
        <translation>Das Grün der Anzeige im Verhältnis zu dem des Bildes</translation>
    </message>
    <message>
        <source>Gain of blue</source>
        <translation>Verstärkung von Blau</translation>
    </message>
    <message>
        <source>The display&apos;s blue relative to the picture&apos;s</source>
        <translation>Das Blau der Anzeige im Verhältnis zu dem des Bildes</translation>
    </message>
    <message>
        <source>Gamma</source>
        <translation>Gamma</translation>
    </message>
    <message>
        <source>Above 1 the middle tones are lighter</source>
        <translation>Über 1 sind die mittleren Töne heller</translation>
    </message>
    <message>
        <source>Black</source>
        <translation>Schwarz</translation>
    </message>
    <message>
        <source>The code of black: raises it where others shine through</source>
        <translation>Der Code von Schwarz: hebt es an, wo andere durchscheinen</translation>
    </message>
    <message>
        <source>Display</source>
        <translation>Anzeige</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>N&amp;ame</translation>
    </message>
    <message>
        <source>A&amp;t</source>
        <translation>&amp;Lage</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>G&amp;röße</translation>
    </message>
    <message>
        <source>T&amp;urned</source>
        <translation>Ge&amp;dreht</translation>
    </message>
    <message>
        <source>Blending</source>
        <translation>Überblenden</translation>
    </message>
    <message>
        <source>&amp;Left, right</source>
        <translation>L&amp;inks, rechts</translation>
    </message>
    <message>
        <source>To&amp;p, bottom</source>
        <translation>&amp;Oben, unten</translation>
    </message>
    <message>
        <source>&amp;Gamma</source>
        <translation>Ga&amp;mma</translation>
    </message>
    <message>
        <source>Corners</source>
        <translation>Ecken</translation>
    </message>
    <message>
        <source>Top le&amp;ft</source>
        <translation>O&amp;ben links</translation>
    </message>
    <message>
        <source>Colour</source>
        <translation>Farbe</translation>
    </message>
    <message>
        <source>Gain</source>
        <translation>Verstärkung</translation>
    </message>
    <message>
        <source>Gamma, blac&amp;k</source>
        <translation>Gamma, Sch&amp;warz</translation>
    </message>
    <message>
        <source>Top right</source>
        <translation>Oben rechts</translation>
    </message>
    <message>
        <source>Bottom right</source>
        <translation>Unten rechts</translation>
    </message>
    <message>
        <source>Bottom left</source>
        <translation>Unten links</translation>
    </message>
</context>
<context>
    <name>verbcast::HelpSheet</name>
    <message>
        <source>Ctrl+Alt+C</source>
        <translation>Strg+Alt+C</translation>
    </message>
    <message>
        <source>Copy the code that another host has to type to be paired</source>
        <translation>Den Code kopieren, den ein anderer Rechner zum Koppeln eingeben muss</translation>
    </message>
    <message>
        <source>This sheet</source>
        <translation>Diese Übersicht</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>F, double click</source>
        <translation>F, Doppelklick</translation>
    </message>
    <message>
        <source>Fullscreen on and off</source>
        <translation>Vollbild ein und aus</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Leave fullscreen</source>
        <translation>Vollbild verlassen</translation>
    </message>
    <message>
        <source>Fit the picture to the window</source>
        <translation>Das Bild in das Fenster einpassen</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>Mausrad</translation>
    </message>
    <message>
        <source>Zoom at the cursor</source>
        <translation>Am Mauszeiger vergrößern oder verkleinern</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>Ziehen</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>Leertaste</translation>
    </message>
    <message>
        <source>Pause the picture; the stream continues</source>
        <translation>Das Bild anhalten; der Stream läuft weiter</translation>
    </message>
    <message>
        <source>Save the picture as PNG, in the size of the stream</source>
        <translation>Das Bild als PNG speichern, in der Größe des Streams</translation>
    </message>
    <message>
        <source>Stage times: where a frame&apos;s time is spent</source>
        <translation>Zeiten der Stufen: wo die Zeit eines Bildes bleibt</translation>
    </message>
    <message>
        <source>Waveform: the brightness, or the colours, of each column of the picture</source>
        <translation>Wellenform: die Helligkeit oder die Farben jeder Spalte des Bildes</translation>
    </message>
    <message>
        <source>O, Ctrl+O</source>
        <translation>O, Strg+O</translation>
    </message>
    <message>
        <source>Connect to a sender, or wait for one</source>
        <translation>Mit einem Sender verbinden oder auf einen warten</translation>
    </message>
    <message>
        <source>Send keys, mouse and touch to the sender; press again to stop</source>
        <translation>Tasten, Maus und Berührungen an den Sender leiten; nochmals drücken beendet es</translation>
    </message>
    <message>
        <source>Right Ctrl held</source>
        <translation>Strg rechts gehalten</translation>
    </message>
    <message>
        <source>The keys on this sheet, while input goes to the sender</source>
        <translation>Die Tasten dieser Übersicht, während Eingaben an den Sender gehen</translation>
    </message>
    <message>
        <source>F1, ?</source>
        <translation>F1, ?</translation>
    </message>
    <message>
        <source>Q, Ctrl+Q</source>
        <translation>Q, Strg+Q</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>Tasten und Maus</translation>
    </message>
    <message>
        <source>P, 1</source>
        <translation>P, 1</translation>
    </message>
    <message>
        <source>One picture pixel per screen pixel (with several streams only P)</source>
        <translation>Ein Bildpixel pro Bildschirmpixel (bei mehreren Streams nur P)</translation>
    </message>
    <message>
        <source>1 to 9</source>
        <translation>1 bis 9</translation>
    </message>
    <message>
        <source>With several streams: this one alone; press again for all</source>
        <translation>Bei mehreren Streams: diesen allein; noch einmal für alle</translation>
    </message>
    <message>
        <source>Tab, click</source>
        <translation>Tab, Klick</translation>
    </message>
    <message>
        <source>With several streams: the one that input, statistics and keys are for</source>
        <translation>Bei mehreren Streams: dem Eingaben, Zahlen und Tasten gelten</translation>
    </message>
    <message>
        <source>With several streams: the next layout</source>
        <translation>Bei mehreren Streams: die nächste Anordnung</translation>
    </message>
    <message>
        <source>With a stereo pair: swap the eyes</source>
        <translation>Bei einem Stereopaar: die Augen vertauschen</translation>
    </message>
    <message>
        <source>Move a picture that is larger than the window; free layout: move the pane, or scale it at a corner</source>
        <translation>Ein Bild verschieben, das größer ist als das Fenster; freie Anordnung: das Feld, an der Ecke skalieren</translation>
    </message>
    <message>
        <source>A, Del</source>
        <translation>A, Entf</translation>
    </message>
    <message>
        <source>Add a stream; remove the one in focus</source>
        <translation>Einen Stream hinzufügen; den im Fokus entfernen</translation>
    </message>
    <message>
        <source>Drop, right button</source>
        <translation>Ablegen, rechte Taste</translation>
    </message>
    <message>
        <source>PgUp, PgDown, +, -, B</source>
        <translation>Bild auf, Bild ab, +, -, B</translation>
    </message>
    <message>
        <source>Free layout: to the front, to the back, opacity, its own alpha</source>
        <translation>Freie Anordnung: nach vorn, nach hinten, Deckkraft, eigenes Alpha</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Strg+S</translation>
    </message>
    <message>
        <source>Save the streams and their layout as a session</source>
        <translation>Die Streams und ihre Anordnung als Sitzung speichern</translation>
    </message>
    <message>
        <source>Hide the strip below the picture, show it again</source>
        <translation>Leiste unter dem Bild verbergen, wieder zeigen</translation>
    </message>
    <message>
        <source>Add the addresses that are dropped, send a film; a menu of all this</source>
        <translation>Hingezogene Adressen hinzufügen, einen Film senden; ein Menü mit alldem</translation>
    </message>
    <message>
        <source>Record every frame of the stream into a file, stop recording</source>
        <translation>Jedes Bild des Streams in eine Datei aufnehmen, Aufnahme beenden</translation>
    </message>
    <message>
        <source>Right Ctrl, Ctrl+Alt+I</source>
        <translation>Rechte Strg, Strg+Alt+I</translation>
    </message>
    <message>
        <source>Verbcast - Shortcuts</source>
        <translation>Verbcast - Tasten</translation>
    </message>
    <message>
        <source>M, Up, Down</source>
        <translation>M, Auf, Ab</translation>
    </message>
    <message>
        <source>Sound off and on; louder, quieter</source>
        <translation>Ton aus und an; lauter, leiser</translation>
    </message>
    <message>
        <source>Level meters: the peak of each channel of the sound</source>
        <translation>Aussteuerung: die Spitzenpegel aller Tonkanäle</translation>
    </message>
</context>
<context>
    <name>verbcast::KeyField</name>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>The secret that both ends share; anyone without it is kept out</source>
        <translation>Das Geheimnis, das beide Seiten teilen; wer es nicht hat, wird abgewiesen</translation>
    </message>
    <message>
        <source>Browse...</source>
        <translation>Wählen …</translation>
    </message>
    <message>
        <source>Choose a key file</source>
        <translation>Eine Schlüsseldatei auswählen</translation>
    </message>
    <message>
        <source>Problem with the key</source>
        <translation>Problem mit dem Schlüssel</translation>
    </message>
    <message>
        <source>That of %1</source>
        <translation>Der aus %1</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Only this machine, and paired hosts</source>
        <translation>Nur dieser Rechner und gekoppelte Rechner</translation>
    </message>
    <message>
        <source>Default key</source>
        <translation>Standardschlüssel</translation>
    </message>
    <message>
        <source>Verbcast - Choose a key file</source>
        <translation>Verbcast - Schlüsseldatei auswählen</translation>
    </message>
    <message>
        <source>%1.
Try: %2</source>
        <translation>%1.
Versuchen Sie: %2</translation>
    </message>
</context>
<context>
    <name>verbcast::KeyFileWatch</name>
    <message>
        <source>No key yet</source>
        <translation>Noch kein Schlüssel</translation>
    </message>
    <message>
        <source>There is no file %1</source>
        <translation>Die Datei %1 gibt es nicht</translation>
    </message>
    <message>
        <source>make a key on the page of keys, or choose another file</source>
        <translation>auf der Seite Schlüssel einen erzeugen oder eine andere Datei auswählen</translation>
    </message>
    <message>
        <source>This key cannot be used</source>
        <translation>Dieser Schlüssel ist nicht brauchbar</translation>
    </message>
</context>
<context>
    <name>verbcast::KeyPage</name>
    <message>
        <source>%1 cannot be read: %2</source>
        <translation>%1 lässt sich nicht lesen: %2</translation>
    </message>
    <message>
        <source>choose a file that you may read</source>
        <translation>wählen Sie eine Datei, die Sie lesen dürfen</translation>
    </message>
    <message>
        <source>Make a &amp;new key</source>
        <translation>&amp;Neuen Schlüssel erzeugen</translation>
    </message>
    <message>
        <source>I&amp;mport a file...</source>
        <translation>Datei &amp;importieren …</translation>
    </message>
    <message>
        <source>&amp;Paste...</source>
        <translation>&amp;Einfügen …</translation>
    </message>
    <message>
        <source>&amp;Use for sending and viewing</source>
        <translation>Diesen Schlüssel &amp;verwenden</translation>
    </message>
    <message>
        <source>Cop&amp;y the key</source>
        <translation>Schlüssel k&amp;opieren</translation>
    </message>
    <message>
        <source>Show as &amp;QR code...</source>
        <translation>&amp;QR-Code …</translation>
    </message>
    <message>
        <source>Writes %1, which only you can read; never replaces one</source>
        <translation>Schreibt %1, nur für Sie lesbar; ersetzt nie einen Schlüssel</translation>
    </message>
    <message>
        <source>Checks a key file, and keeps a copy that only you can read</source>
        <translation>Prüft eine Schlüsseldatei und behält eine Kopie, die nur Sie lesen können</translation>
    </message>
    <message>
        <source>Keeps a key that was copied at the other machine</source>
        <translation>Behält einen Schlüssel, der am anderen Rechner kopiert wurde</translation>
    </message>
    <message>
        <source>Sets the Key field on the Send and View pages</source>
        <translation>Füllt das Feld Schlüssel auf den Seiten Senden und Empfangen</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>Schlüsse&amp;l</translation>
    </message>
    <message>
        <source>Another one</source>
        <translation>Ein anderer</translation>
    </message>
    <message>
        <source>Into the clipboard, which other programs can read; cleared after 60 s</source>
        <translation>In die Zwischenablage, die andere Programme lesen können; nach 60 s geleert</translation>
    </message>
    <message>
        <source>For a machine with a camera</source>
        <translation>Für einen Rechner mit Kamera</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>What the padlocks mean</source>
        <translation>Was die Schlösser bedeuten</translation>
    </message>
    <message>
        <source>Copies the file with its permissions; replace HOST with the other machine&apos;s name</source>
        <translation>Kopiert die Datei mit ihren Rechten; ersetzen Sie HOST durch den Namen des anderen Rechners</translation>
    </message>
    <message>
        <source>Give the key to the other machine</source>
        <translation>Den Schlüssel auf den anderen Rechner bringen</translation>
    </message>
    <message>
        <source>Both ends need the same key. Copy the file over a channel you trust, paste the key on the Keys page there, or show the QR code to its camera. Never send it by mail or chat.</source>
        <translation>Beide Seiten brauchen denselben Schlüssel. Kopieren Sie die Datei auf einem Weg, dem Sie vertrauen, fügen Sie den Schlüssel dort auf der Seite Schlüssel ein, oder zeigen Sie den QR-Code der Kamera. Schicken Sie ihn nie per Mail oder Chat.</translation>
    </message>
    <message>
        <source>The Send and View pages now use %1</source>
        <translation>Die Seiten Senden und Empfangen verwenden jetzt %1</translation>
    </message>
    <message>
        <source>The key is not in the clipboard any more</source>
        <translation>Der Schlüssel ist nicht mehr in der Zwischenablage</translation>
    </message>
    <message>
        <source>The default key</source>
        <translation>Der Standardschlüssel</translation>
    </message>
    <message>
        <source>This key cannot be used</source>
        <translation>Dieser Schlüssel ist nicht brauchbar</translation>
    </message>
    <message>
        <source>No key yet</source>
        <translation>Noch kein Schlüssel</translation>
    </message>
    <message>
        <source>Only you can read it; written %1</source>
        <translation>Nur Sie können ihn lesen; geschrieben %1</translation>
    </message>
    <message>
        <source>Make a new one, or bring the other machine&apos;s</source>
        <translation>Erzeugen Sie einen neuen oder holen Sie den des anderen Rechners</translation>
    </message>
    <message>
        <source>No new key was made</source>
        <translation>Es wurde kein neuer Schlüssel erzeugt</translation>
    </message>
    <message>
        <source>A new key was made</source>
        <translation>Ein neuer Schlüssel wurde erzeugt</translation>
    </message>
    <message>
        <source>Verbcast - Keep the key in a new file</source>
        <translation>Verbcast - Schlüssel in einer neuen Datei aufbewahren</translation>
    </message>
    <message>
        <source>The key is kept in %1</source>
        <translation>Der Schlüssel liegt in %1</translation>
    </message>
    <message>
        <source>Verbcast - Import a key file</source>
        <translation>Verbcast - Schlüsseldatei importieren</translation>
    </message>
    <message>
        <source>The key was not imported</source>
        <translation>Der Schlüssel wurde nicht importiert</translation>
    </message>
    <message>
        <source>The key was not kept</source>
        <translation>Der Schlüssel wurde nicht gespeichert</translation>
    </message>
    <message>
        <source>The key was not copied</source>
        <translation>Der Schlüssel wurde nicht kopiert</translation>
    </message>
    <message>
        <source>Copied. Every program of this session can read the clipboard; it is cleared after 60 s</source>
        <translation>Kopiert. Jedes Programm dieser Sitzung kann die Zwischenablage lesen; sie wird nach 60 s geleert</translation>
    </message>
    <message>
        <source>The key cannot be shown</source>
        <translation>Der Schlüssel lässt sich nicht zeigen</translation>
    </message>
    <message>
        <source>Paired hosts</source>
        <translation>Gekoppelte Rechner</translation>
    </message>
</context>
<context>
    <name>verbcast::LogNews</name>
    <message>
        <source>Verbcast - Messages</source>
        <translation>Verbcast - Meldungen</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>Meldungen</translation>
    </message>
</context>
<context>
    <name>verbcast::MainWindow</name>
    <message>
        <source>Verbcast sessions (*.verbcast);;All files (*)</source>
        <translation>Verbcast-Sitzungen (*.verbcast);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>Senden</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Empfangen</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Send a source (Ctrl+1)</source>
        <translation>Eine Quelle senden (Strg+1)</translation>
    </message>
    <message>
        <source>View streams (Ctrl+2)</source>
        <translation>Streams empfangen (Strg+2)</translation>
    </message>
    <message>
        <source>Keys that keep others out (Ctrl+3)</source>
        <translation>Schlüssel, die andere fernhalten (Strg+3)</translation>
    </message>
    <message>
        <source>Sess&amp;ion</source>
        <translation>Sit&amp;zung</translation>
    </message>
    <message>
        <source>&amp;Open...</source>
        <translation>Ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>Settings of both pages, from a file</source>
        <translation>Die Einstellungen beider Seiten aus einer Datei</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save the settings of both pages to their file</source>
        <translation>Die Einstellungen beider Seiten in ihrer Datei speichern</translation>
    </message>
    <message>
        <source>Save &amp;as...</source>
        <translation>Speichern &amp;unter …</translation>
    </message>
    <message>
        <source>Save them to another file</source>
        <translation>In einer anderen Datei speichern</translation>
    </message>
    <message>
        <source>S&amp;tart sending</source>
        <translation>Senden s&amp;tarten</translation>
    </message>
    <message>
        <source>Start sending with the settings of the Send page</source>
        <translation>Mit den Einstellungen der Seite Senden beginnen</translation>
    </message>
    <message>
        <source>&amp;Copy the command line</source>
        <translation>Befehlszeile &amp;kopieren</translation>
    </message>
    <message>
        <source>The command line of this page</source>
        <translation>Die Befehlszeile dieser Seite</translation>
    </message>
    <message>
        <source>Page to se&amp;nd</source>
        <translation>Seite Se&amp;nden</translation>
    </message>
    <message>
        <source>Send a source</source>
        <translation>Eine Quelle senden</translation>
    </message>
    <message>
        <source>Page to &amp;view</source>
        <translation>Seite &amp;Empfangen</translation>
    </message>
    <message>
        <source>View streams</source>
        <translation>Streams empfangen</translation>
    </message>
    <message>
        <source>Page of &amp;keys</source>
        <translation>Seite S&amp;chlüssel</translation>
    </message>
    <message>
        <source>Secrets that keep others out</source>
        <translation>Geheimnisse, die andere fernhalten</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Hilfe</translation>
    </message>
    <message>
        <source>Keys of this window</source>
        <translation>Die Tasten dieses Fensters</translation>
    </message>
    <message>
        <source>Verbcast - Open a session</source>
        <translation>Verbcast - Sitzung öffnen</translation>
    </message>
    <message>
        <source>The session cannot be opened</source>
        <translation>Die Sitzung lässt sich nicht öffnen</translation>
    </message>
    <message>
        <source>Verbcast - Save the session</source>
        <translation>Verbcast - Sitzung speichern</translation>
    </message>
    <message>
        <source>The session cannot be saved</source>
        <translation>Die Sitzung lässt sich nicht speichern</translation>
    </message>
    <message>
        <source>Verbcast - Session</source>
        <translation>Verbcast - Sitzung</translation>
    </message>
    <message>
        <source>S&amp;top sending</source>
        <translation>Senden s&amp;toppen</translation>
    </message>
    <message>
        <source>Verbcast - Close</source>
        <translation>Verbcast - Schließen</translation>
    </message>
    <message>
        <source>Close the window?</source>
        <translation>Das Fenster schließen?</translation>
    </message>
    <message>
        <source>This stops sending.</source>
        <translation>Damit endet das Senden.</translation>
    </message>
    <message>
        <source>This stops sending and closes the windows of all streams.</source>
        <translation>Damit endet das Senden, und die Fenster aller Streams schließen sich.</translation>
    </message>
    <message>
        <source>With it the windows of all streams close.</source>
        <translation>Damit schließen sich die Fenster aller Streams.</translation>
    </message>
    <message>
        <source>&amp;Close</source>
        <translation>&amp;Schließen</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Strg+Eingabe</translation>
    </message>
    <message>
        <source>Start or stop sending</source>
        <translation>Das Senden starten oder stoppen</translation>
    </message>
    <message>
        <source>Ctrl+Space</source>
        <translation>Strg+Leertaste</translation>
    </message>
    <message>
        <source>Pause or resume a file that is being sent</source>
        <translation>Eine Datei, die gesendet wird, anhalten oder fortsetzen</translation>
    </message>
    <message>
        <source>Ctrl+Left, Ctrl+Right</source>
        <translation>Strg+Links, Strg+Rechts</translation>
    </message>
    <message>
        <source>Five seconds back or forward in it; with Shift, one picture</source>
        <translation>Darin fünf Sekunden zurück oder vor; mit Umschalt ein Bild</translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation>Strg+Umschalt+C</translation>
    </message>
    <message>
        <source>Copy the command line of this page</source>
        <translation>Die Befehlszeile dieser Seite kopieren</translation>
    </message>
    <message>
        <source>Ctrl+Alt+C</source>
        <translation>Strg+Alt+C</translation>
    </message>
    <message>
        <source>Copy the code that another host has to type to be paired</source>
        <translation>Den Code kopieren, den ein anderer Rechner zum Koppeln eingeben muss</translation>
    </message>
    <message>
        <source>Ctrl+O</source>
        <translation>Strg+O</translation>
    </message>
    <message>
        <source>Open a session: the settings of both pages, from a file</source>
        <translation>Eine Sitzung öffnen: die Einstellungen beider Seiten aus einer Datei</translation>
    </message>
    <message>
        <source>Ctrl+S, Ctrl+Shift+S</source>
        <translation>Strg+S, Strg+Umschalt+S</translation>
    </message>
    <message>
        <source>Save the session, under another name</source>
        <translation>Die Sitzung speichern, unter anderem Namen speichern</translation>
    </message>
    <message>
        <source>Alt and a letter</source>
        <translation>Alt und ein Buchstabe</translation>
    </message>
    <message>
        <source>Go to the field or button with that letter underlined</source>
        <translation>Zum Feld oder Knopf, in dem der Buchstabe unterstrichen ist</translation>
    </message>
    <message>
        <source>Tab, Shift+Tab</source>
        <translation>Tab, Umschalt+Tab</translation>
    </message>
    <message>
        <source>The next field, the one before</source>
        <translation>Das nächste Feld, das vorige</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>In an address: start to send, or open the stream</source>
        <translation>In einer Adresse: das Senden starten oder den Stream öffnen</translation>
    </message>
    <message>
        <source>F1</source>
        <translation>F1</translation>
    </message>
    <message>
        <source>This sheet</source>
        <translation>Diese Übersicht</translation>
    </message>
    <message>
        <source>Ctrl+Q</source>
        <translation>Strg+Q</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>&amp;System</translation>
    </message>
    <message>
        <source>Dark or light as the desktop is</source>
        <translation>Dunkel oder hell wie der Desktop</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>&amp;Dunkel</translation>
    </message>
    <message>
        <source>For a dim room</source>
        <translation>Für einen abgedunkelten Raum</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>&amp;Hell</translation>
    </message>
    <message>
        <source>For a bright one</source>
        <translation>Für einen hellen Raum</translation>
    </message>
    <message>
        <source>Appea&amp;rance</source>
        <translation>&amp;Darstellung</translation>
    </message>
    <message>
        <source>Wall</source>
        <translation>Wand</translation>
    </message>
    <message>
        <source>Which display of a wall shows what (Ctrl+4)</source>
        <translation>Welche Anzeige einer Wand was zeigt (Strg+4)</translation>
    </message>
    <message>
        <source>Page of wa&amp;lls</source>
        <translation>Seite &amp;Wand</translation>
    </message>
    <message>
        <source>Which display shows what</source>
        <translation>Welche Anzeige was zeigt</translation>
    </message>
    <message>
        <source>Ctrl+1 to Ctrl+4</source>
        <translation>Strg+1 bis Strg+4</translation>
    </message>
    <message>
        <source>The Send, View, Keys and Wall pages</source>
        <translation>Die Seiten Senden, Empfangen, Schlüssel und Wand</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>&amp;Handbuch</translation>
    </message>
    <message>
        <source>The documents that come with Verbcast</source>
        <translation>Die Dokumente, die zu Verbcast gehören</translation>
    </message>
    <message>
        <source>&amp;About Verbcast</source>
        <translation>&amp;Über Verbcast</translation>
    </message>
    <message>
        <source>Its version and license</source>
        <translation>Version und Lizenz</translation>
    </message>
    <message>
        <source>Verbcast - Manual</source>
        <translation>Verbcast - Handbuch</translation>
    </message>
    <message>
        <source>The documents are not installed: see README.md and docs/ of the sources, or &quot;man verbcast&quot;</source>
        <translation>Die Dokumente sind nicht installiert: siehe README.md und docs/ in den Quellen, oder „man verbcast“</translation>
    </message>
    <message>
        <source>No program opens folders here. The documents are in %1</source>
        <translation>Kein Programm öffnet hier Ordner. Die Dokumente sind in %1</translation>
    </message>
    <message>
        <source>Verbcast - About</source>
        <translation>Verbcast - Über</translation>
    </message>
    <message>
        <source>Uncompressed video over InfiniBand, RoCE, TCP and shared memory.
License: Apache-2.0. With Qt %1.</source>
        <translation>Unkomprimiertes Video über InfiniBand, RoCE, TCP und gemeinsamen Speicher.
Lizenz: Apache-2.0. Mit Qt %1.</translation>
    </message>
    <message>
        <source>&amp;Shortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>Verbcast - Send a file</source>
        <translation>Verbcast - Datei senden</translation>
    </message>
    <message>
        <source>Stop sending before you choose another source.</source>
        <translation>Beenden Sie das Senden, bevor Sie eine andere Quelle wählen.</translation>
    </message>
    <message>
        <source>This page sends one file: %1. &quot;verbcast send&quot; takes several.</source>
        <translation>Diese Seite sendet eine Datei: %1. „verbcast send“ nimmt mehrere.</translation>
    </message>
    <message>
        <source>The last settings cannot be used: these are the defaults</source>
        <translation>Die letzten Einstellungen sind nicht brauchbar: Dies sind die Vorgaben</translation>
    </message>
</context>
<context>
    <name>verbcast::MeterText</name>
    <message>
        <source>No sound</source>
        <translation>Kein Ton</translation>
    </message>
</context>
<context>
    <name>verbcast::MissingSetting</name>
    <message>
        <source>no file chosen</source>
        <translation>keine Datei ausgewählt</translation>
    </message>
    <message>
        <source>type its path, or press Browse</source>
        <translation>geben Sie ihren Pfad ein oder drücken Sie Wählen</translation>
    </message>
    <message>
        <source>peers that are admitted may do nothing</source>
        <translation>wer eingelassen wird, darf nichts tun</translation>
    </message>
    <message>
        <source>choose at least one of view, send and input</source>
        <translation>wählen Sie mindestens eines von sehen, senden und steuern</translation>
    </message>
    <message>
        <source>no address to connect to</source>
        <translation>keine Adresse, mit der verbunden werden soll</translation>
    </message>
    <message>
        <source>for example wall:7423, or shm://wall</source>
        <translation>zum Beispiel wall:7423 oder shm://wall</translation>
    </message>
    <message>
        <source>no program given</source>
        <translation>kein Programm angegeben</translation>
    </message>
    <message>
        <source>for example glxgears</source>
        <translation>zum Beispiel glxgears</translation>
    </message>
</context>
<context>
    <name>verbcast::NewWallDialog</name>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Pixels of the picture on each display, before it is rotated</source>
        <translation>Pixel des Bildes auf jeder Anzeige, bevor es gedreht wird</translation>
    </message>
    <message>
        <source>Turned</source>
        <translation>Gedreht</translation>
    </message>
    <message>
        <source>How far the picture is rotated on the screens, clockwise</source>
        <translation>Wie weit die Bildschirme das Bild gedreht zeigen, im Uhrzeigersinn</translation>
    </message>
    <message>
        <source>Verbcast - A new wall</source>
        <translation>Verbcast - Eine neue Wand</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>Spalten</translation>
    </message>
    <message>
        <source>Displays side by side</source>
        <translation>Anzeigen nebeneinander</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>Zeilen</translation>
    </message>
    <message>
        <source>Displays one above the other</source>
        <translation>Anzeigen übereinander</translation>
    </message>
    <message>
        <source>Bezels</source>
        <translation>Rahmen</translation>
    </message>
    <message>
        <source>Pixels of the picture that the bezels between two displays hide, both together</source>
        <translation>Pixel des Bildes, die beide Rahmen zwischen zwei Anzeigen verdecken</translation>
    </message>
    <message>
        <source>Overlap</source>
        <translation>Überlappung</translation>
    </message>
    <message>
        <source>Pixels by which neighbouring projectors overlap</source>
        <translation>Pixel, die benachbarte Projektoren beide zeigen</translation>
    </message>
    <message>
        <source>Parts of the picture, each drawn by its own sender; 0: one sender draws all of it</source>
        <translation>Teile des Bildes, die je ein Sender zeichnet; 0: einer hat das ganze</translation>
    </message>
    <message>
        <source>Columns of sources</source>
        <translation>Spalten von Quellen</translation>
    </message>
    <message>
        <source>Rows of sources</source>
        <translation>Zeilen von Quellen</translation>
    </message>
    <message>
        <source>&amp;Columns, rows</source>
        <translation>&amp;Spalten, Zeilen</translation>
    </message>
    <message>
        <source>Si&amp;ze of each</source>
        <translation>&amp;Größe von jeder</translation>
    </message>
    <message>
        <source>&amp;Bezels</source>
        <translation>&amp;Rahmen</translation>
    </message>
    <message>
        <source>&amp;Overlap</source>
        <translation>&amp;Überlappung</translation>
    </message>
    <message>
        <source>&amp;Turned</source>
        <translation>Ge&amp;dreht</translation>
    </message>
    <message>
        <source>&amp;Sources</source>
        <translation>&amp;Quellen</translation>
    </message>
    <message>
        <source>Make it</source>
        <translation>Anlegen</translation>
    </message>
</context>
<context>
    <name>verbcast::PadlockBadge</name>
    <message>
        <source>Open to anybody</source>
        <translation>Offen für alle</translation>
    </message>
    <message>
        <source>Unprotected</source>
        <translation>Ungeschützt</translation>
    </message>
    <message>
        <source>unprotected</source>
        <translation>ungeschützt</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>dieser Rechner</translation>
    </message>
    <message>
        <source>proven</source>
        <translation>ausgewiesen</translation>
    </message>
    <message>
        <source>encrypted</source>
        <translation>verschlüsselt</translation>
    </message>
    <message>
        <source>Any host that reaches the address is admitted without a key</source>
        <translation>Jeder Rechner, der die Adresse erreicht, wird ohne Schlüssel eingelassen</translation>
    </message>
    <message>
        <source>Protection: %1</source>
        <translation>Schutz: %1</translation>
    </message>
</context>
<context>
    <name>verbcast::PairedHostsTable</name>
    <message>
        <source>&amp;Forget the host</source>
        <translation>Rechne&amp;r vergessen</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Addresses</source>
        <translation>Adressen</translation>
    </message>
    <message>
        <source>May</source>
        <translation>Darf</translation>
    </message>
    <message>
        <source>Paired on</source>
        <translation>Gekoppelt am</translation>
    </message>
    <message>
        <source>Paired hosts</source>
        <translation>Gekoppelte Rechner</translation>
    </message>
    <message>
        <source>Hosts that a code was typed for: they connect without one now</source>
        <translation>Rechner, für die ein Code eingegeben wurde: sie verbinden sich nun ohne</translation>
    </message>
    <message>
        <source>It has to be paired again, with a new code</source>
        <translation>Er muss mit einem neuen Code wieder gekoppelt werden</translation>
    </message>
    <message>
        <source>Paired hosts: state</source>
        <translation>Gekoppelte Rechner: Zustand</translation>
    </message>
    <message>
        <source>None yet. A host that is not paired shows a code, and asks for it here</source>
        <translation>Noch keiner. Ein Rechner, der nicht gekoppelt ist, zeigt einen Code und fragt hier danach</translation>
    </message>
    <message>
        <source>%1 is forgotten: it has to be paired again</source>
        <translation>%1 ist vergessen: er muss wieder gekoppelt werden</translation>
    </message>
    <message>
        <source>Last seen</source>
        <translation>Zuletzt gesehen</translation>
    </message>
    <message>
        <source>not yet</source>
        <translation>noch nicht</translation>
    </message>
</context>
<context>
    <name>verbcast::PairingBanner</name>
    <message>
        <source>Copy</source>
        <translation>Kopieren</translation>
    </message>
    <message>
        <source>Pairing</source>
        <translation>Kopplung</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Copy the code (Ctrl+Alt+C); other programs can read the clipboard, which is cleared after 60 s</source>
        <translation>Den Code kopieren (Strg+Alt+C); andere Programme können die Zwischenablage lesen, die nach 60 s geleert wird</translation>
    </message>
    <message>
        <source>%1 wants to connect. Type this code there; the two machines then share a key.</source>
        <translation>%1 möchte sich verbinden. Geben Sie dort diesen Code ein; danach teilen die beiden Rechner einen Schlüssel.</translation>
    </message>
    <message>
        <source>valid for %1:%2</source>
        <translation>noch %1:%2 gültig</translation>
    </message>
</context>
<context>
    <name>verbcast::PairingDialog</name>
    <message>
        <source>Verbcast - Pair</source>
        <translation>Verbcast - Koppeln</translation>
    </message>
    <message>
        <source>This code is shown at %1:</source>
        <translation>Dieser Code wird bei %1 angezeigt:</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>Code</translation>
    </message>
    <message>
        <source>Problem with the code</source>
        <translation>Problem mit dem Code</translation>
    </message>
    <message>
        <source>Pair</source>
        <translation>Koppeln</translation>
    </message>
    <message>
        <source>Both machines then keep a key for each other, and will not ask again.</source>
        <translation>Beide Rechner behalten dann einen Schlüssel füreinander und fragen nicht mehr.</translation>
    </message>
</context>
<context>
    <name>verbcast::PairingOffer</name>
    <message>
        <source>This is not the code that is shown there now. A code works once and expires after ten minutes; connect again for a new one.</source>
        <translation>Das ist nicht der Code, der dort jetzt angezeigt wird. Ein Code gilt einmal und zehn Minuten lang; ein neuer Verbindungsversuch bringt einen neuen.</translation>
    </message>
</context>
<context>
    <name>verbcast::PasteKeyDialog</name>
    <message>
        <source>Verbcast - Paste a key</source>
        <translation>Verbcast - Schlüssel einfügen</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>&amp;Key, as the other machine copied it</source>
        <translation>Sch&amp;lüssel, wie der andere Rechner ihn kopiert hat</translation>
    </message>
    <message>
        <source>&amp;Show it</source>
        <translation>&amp;Anzeigen</translation>
    </message>
    <message>
        <source>Problem with the key</source>
        <translation>Problem mit dem Schlüssel</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>Behalten</translation>
    </message>
    <message>
        <source>It will be kept in %1, which only you can read.</source>
        <translation>Er wird in %1 aufbewahrt, nur für Sie lesbar.</translation>
    </message>
    <message>
        <source>Paste it here (Ctrl+V).</source>
        <translation>Fügen Sie ihn hier ein (Strg+V).</translation>
    </message>
</context>
<context>
    <name>verbcast::PlaybackBar</name>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>Pause or resume the file (Ctrl+Space)</source>
        <translation>Die Datei anhalten oder fortsetzen (Strg+Leertaste)</translation>
    </message>
    <message>
        <source>The previous picture (Ctrl+Shift+Left)</source>
        <translation>Das vorige Bild (Strg+Umschalt+Links)</translation>
    </message>
    <message>
        <source>Previous picture</source>
        <translation>Voriges Bild</translation>
    </message>
    <message>
        <source>The next picture (Ctrl+Shift+Right)</source>
        <translation>Das nächste Bild (Strg+Umschalt+Rechts)</translation>
    </message>
    <message>
        <source>Next picture</source>
        <translation>Nächstes Bild</translation>
    </message>
    <message>
        <source>Where in the file the sender is (Ctrl+Left and Ctrl+Right: 5 seconds)</source>
        <translation>Wo in der Datei der Sender ist (Strg+Links und Strg+Rechts: 5 Sekunden)</translation>
    </message>
    <message>
        <source>Position in the file</source>
        <translation>Position in der Datei</translation>
    </message>
    <message>
        <source>Position and duration</source>
        <translation>Position und Dauer</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>Abspielen</translation>
    </message>
</context>
<context>
    <name>verbcast::PreviewPane</name>
    <message>
        <source>Preview</source>
        <translation>Vorschau</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>Keine Vorschau</translation>
    </message>
</context>
<context>
    <name>verbcast::ProblemPanel</name>
    <message>
        <source>Problem</source>
        <translation>Problem</translation>
    </message>
</context>
<context>
    <name>verbcast::QrCodeDialog</name>
    <message>
        <source>QR code</source>
        <translation>QR-Code</translation>
    </message>
    <message>
        <source>%1 bytes do not make a QR code: %2</source>
        <translation>%1 Byte ergeben keinen QR-Code: %2</translation>
    </message>
    <message>
        <source>copy the key, or its file, instead</source>
        <translation>kopieren Sie stattdessen den Schlüssel oder seine Datei</translation>
    </message>
    <message>
        <source>Verbcast - QR code</source>
        <translation>Verbcast - QR-Code</translation>
    </message>
    <message>
        <source>Anyone who photographs this code has the key.</source>
        <translation>Wer diesen Code fotografiert, hat den Schlüssel.</translation>
    </message>
    <message>
        <source>Closes in %1 s</source>
        <translation>Schließt in %1 s</translation>
    </message>
</context>
<context>
    <name>verbcast::ScreenSaverInhibitor</name>
    <message>
        <source>shows video to an audience</source>
        <translation>zeigt einem Publikum Video</translation>
    </message>
</context>
<context>
    <name>verbcast::SendForm</name>
    <message>
        <source>Verbcast - Send</source>
        <translation>Verbcast - Senden</translation>
    </message>
    <message>
        <source>Run this program?</source>
        <translation>Dieses Programm ausführen?</translation>
    </message>
    <message>
        <source>Open this address?</source>
        <translation>Diese Adresse öffnen?</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Ausführen</translation>
    </message>
    <message>
        <source>&amp;Open</source>
        <translation>Ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Source&apos;s own</source>
        <translation>Wie die Quelle</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
    <message>
        <source>Width and height in pixels, for example 3840x2160, 1080p or 4K</source>
        <translation>Breite und Höhe in Pixeln, zum Beispiel 3840x2160, 1080p oder 4K</translation>
    </message>
    <message>
        <source>Pixel format</source>
        <translation>Pixelformat</translation>
    </message>
    <message>
        <source>How a pixel is stored; the source&apos;s own costs no conversion</source>
        <translation>Wie ein Pixel gespeichert wird; wie die Quelle: ohne Umwandlung</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Bildrate</translation>
    </message>
    <message>
        <source>Frames per second, for example 59.94; max: as fast as possible</source>
        <translation>Bilder pro Sekunde, zum Beispiel 59.94; max: so schnell wie möglich</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>Of a file its own; with a screen, what this machine plays</source>
        <translation>Der Ton der Datei; beim Bildschirm, was dieser Rechner abspielt</translation>
    </message>
    <message>
        <source>None</source>
        <translation>Keiner</translation>
    </message>
    <message>
        <source>Test tone</source>
        <translation>Testton</translation>
    </message>
    <message>
        <source>A pip at each whole second</source>
        <translation>Ein kurzer Ton zu jeder vollen Sekunde</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>Which sound goes with the pictures</source>
        <translation>Welcher Ton zu den Bildern gehört</translation>
    </message>
    <message>
        <source>&amp;Wait for viewers</source>
        <translation>Auf Empfänger &amp;warten</translation>
    </message>
    <message>
        <source>Co&amp;nnect to a viewer that waits</source>
        <translation>Mit Empfänger ver&amp;binden</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works</source>
        <translation>verbs://Host:Port, tcp://Host:Port, shm://Name, oder Host:Port für den besten Weg, der funktioniert</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>When a viewer is too slow: drop frames for it (latest), or make the source wait (lossless)</source>
        <translation>Wenn ein Empfänger zu langsam ist: Bilder für ihn verwerfen (latest) oder die Quelle warten lassen (lossless)</translation>
    </message>
    <message>
        <source>Allow inp&amp;ut</source>
        <translation>Ei&amp;ngaben erlauben</translation>
    </message>
    <message>
        <source>Pre&amp;view before sending</source>
        <translation>&amp;Vorschau vor dem Senden</translation>
    </message>
    <message>
        <source>As fast as possible</source>
        <translation>So schnell wie möglich</translation>
    </message>
    <message>
        <source>Shows the source even while nothing is sent</source>
        <translation>Zeigt die Quelle auch, solange nichts gesendet wird</translation>
    </message>
    <message>
        <source>Picture and sound</source>
        <translation>Bild und Ton</translation>
    </message>
    <message>
        <source>Si&amp;ze</source>
        <translation>G&amp;röße</translation>
    </message>
    <message>
        <source>For&amp;mat</source>
        <translation>For&amp;mat</translation>
    </message>
    <message>
        <source>&amp;Rate</source>
        <translation>B&amp;ildrate</translation>
    </message>
    <message>
        <source>Viewers connect to this machine, several at a time</source>
        <translation>Empfänger verbinden sich mit diesem Rechner, auch mehrere zugleich</translation>
    </message>
    <message>
        <source>One viewer waits for this sender</source>
        <translation>Ein Empfänger wartet auf diesen Sender</translation>
    </message>
    <message>
        <source>Default for the source</source>
        <translation>Standard der Quelle</translation>
    </message>
    <message>
        <source>Live sources: latest. Files: lossless</source>
        <translation>Live-Quellen: latest. Dateien: lossless</translation>
    </message>
    <message>
        <source>Latest: drop frames</source>
        <translation>Latest: Bilder verwerfen</translation>
    </message>
    <message>
        <source>A slow viewer misses frames and slows nobody down</source>
        <translation>Einem langsamen Empfänger entgehen Bilder, und er bremst niemanden</translation>
    </message>
    <message>
        <source>Lossless: wait</source>
        <translation>Lossless: warten</translation>
    </message>
    <message>
        <source>The source waits for the slowest viewer</source>
        <translation>Die Quelle wartet auf den langsamsten Empfänger</translation>
    </message>
    <message>
        <source>Viewers may use the keyboard and mouse of what is sent</source>
        <translation>Empfänger dürfen Tastatur und Maus dessen benutzen, was gesendet wird</translation>
    </message>
    <message>
        <source>Delivery</source>
        <translation>Übertragung</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>Po&amp;licy</source>
        <translation>S&amp;trategie</translation>
    </message>
    <message>
        <source>every address, port 7423</source>
        <translation>jede Adresse, Port 7423</translation>
    </message>
</context>
<context>
    <name>verbcast::SendPage</name>
    <message>
        <source>&amp;Start sending</source>
        <translation>&amp;Senden starten</translation>
    </message>
    <message>
        <source>Start or stop sending (Ctrl+Enter)</source>
        <translation>Das Senden starten oder stoppen (Strg+Eingabe)</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>No preview</source>
        <translation>Keine Vorschau</translation>
    </message>
    <message>
        <source>Preview is off</source>
        <translation>Die Vorschau ist ausgeschaltet</translation>
    </message>
    <message>
        <source>It is opened when sending starts, and appears here then</source>
        <translation>Die Quelle wird geöffnet, wenn das Senden startet, und erscheint dann hier</translation>
    </message>
    <message>
        <source>Not paired yet</source>
        <translation>Noch nicht gekoppelt</translation>
    </message>
    <message>
        <source>%1 serves paired hosts only, and shows a code now</source>
        <translation>%1 bedient nur gekoppelte Rechner und zeigt jetzt einen Code</translation>
    </message>
    <message>
        <source>start sending again to type the code</source>
        <translation>starten Sie das Senden erneut, um den Code einzugeben</translation>
    </message>
    <message>
        <source>Sending has failed</source>
        <translation>Das Senden ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>The source cannot be shown</source>
        <translation>Die Quelle lässt sich nicht zeigen</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>S&amp;toppen</translation>
    </message>
    <message>
        <source>○ Waiting for a viewer</source>
        <translation>○ Warten auf einen Empfänger</translation>
    </message>
    <message>
        <source>○ Waiting for the viewer</source>
        <translation>○ Warten auf den Empfänger</translation>
    </message>
    <message>
        <source>● Stopping</source>
        <translation>● Stoppt</translation>
    </message>
    <message>
        <source>● Sending</source>
        <translation>● Sendet</translation>
    </message>
    <message>
        <source>○ Preview</source>
        <translation>○ Vorschau</translation>
    </message>
    <message>
        <source>○ Idle</source>
        <translation>○ Bereit</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>Adresse kopieren</translation>
    </message>
    <message>
        <source>What viewers on other machines open</source>
        <translation>Was Empfänger auf anderen Rechnern öffnen</translation>
    </message>
    <message>
        <source>Viewers open %1</source>
        <translation>Empfänger öffnen %1</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Hinweise</translation>
    </message>
</context>
<context>
    <name>verbcast::SentView</name>
    <message>
        <source>This view is sent: viewers open %1</source>
        <translation>Diese Ansicht wird gesendet: Empfänger öffnen %1</translation>
    </message>
    <message>
        <source>This view is no longer sent</source>
        <translation>Diese Ansicht wird nicht mehr gesendet</translation>
    </message>
</context>
<context>
    <name>verbcast::SettingsProblem</name>
    <message>
        <source>Check these settings</source>
        <translation>Prüfen Sie diese Einstellungen</translation>
    </message>
</context>
<context>
    <name>verbcast::SourceForm</name>
    <message>
        <source>Test pattern</source>
        <translation>Testbild</translation>
    </message>
    <message>
        <source>A moving test picture</source>
        <translation>Ein bewegtes Testbild</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Video or pictures that FFmpeg can read</source>
        <translation>Video oder Bilder, die FFmpeg lesen kann</translation>
    </message>
    <message>
        <source>Screen</source>
        <translation>Bildschirm</translation>
    </message>
    <message>
        <source>This screen, a monitor or a window</source>
        <translation>Dieser Bildschirm, ein Monitor oder ein Fenster</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Kamera</translation>
    </message>
    <message>
        <source>A Video4Linux2 device</source>
        <translation>Ein Video4Linux2-Gerät</translation>
    </message>
    <message>
        <source>3D scene</source>
        <translation>3D-Szene</translation>
    </message>
    <message>
        <source>Rendered here, controlled by its viewers</source>
        <translation>Hier gerendert, von den Empfängern gesteuert</translation>
    </message>
    <message>
        <source>OpenGL program</source>
        <translation>OpenGL-Programm</translation>
    </message>
    <message>
        <source>Any program: what it draws is sent</source>
        <translation>Ein beliebiges Programm: gesendet wird, was es zeichnet</translation>
    </message>
    <message>
        <source>Whole screen</source>
        <translation>Ganzer Bildschirm</translation>
    </message>
    <message>
        <source>Monitor %1, %2x%3</source>
        <translation>Monitor %1, %2x%3</translation>
    </message>
    <message>
        <source>Window: %1 (%2)</source>
        <translation>Fenster: %1 (%2)</translation>
    </message>
    <message>
        <source>First camera</source>
        <translation>Erste Kamera</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>Quelle</translation>
    </message>
    <message>
        <source>What is sent</source>
        <translation>Was gesendet wird</translation>
    </message>
    <message>
        <source>Pattern</source>
        <translation>Muster</translation>
    </message>
    <message>
        <source>Which test picture</source>
        <translation>Welches Testbild</translation>
    </message>
    <message>
        <source>Start a&amp;gain at the end</source>
        <translation>Am Ende neu be&amp;ginnen</translation>
    </message>
    <message>
        <source>Part of the screen</source>
        <translation>Teil des Bildschirms</translation>
    </message>
    <message>
        <source>The whole screen, a monitor or a window; or type rect=1280x720+0+0</source>
        <translation>Der ganze Bildschirm, ein Monitor oder ein Fenster; oder geben Sie rect=1280x720+0+0 ein</translation>
    </message>
    <message>
        <source>Which camera; or type the path of its device</source>
        <translation>Welche Kamera; oder geben Sie den Pfad ihres Geräts ein</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>Szene</translation>
    </message>
    <message>
        <source>What is rendered</source>
        <translation>Was gerendert wird</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>Programm</translation>
    </message>
    <message>
        <source>The program and its arguments, as typed into a shell (quotes, but no variables)</source>
        <translation>Das Programm und seine Argumente, wie in einer Shell (Anführungszeichen, aber keine Variablen)</translation>
    </message>
    <message>
        <source>Play the file again and again, without a gap</source>
        <translation>Die Datei immer wieder abspielen, ohne Lücke</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatisch</translation>
    </message>
    <message>
        <source>A graphics card where one can, else software</source>
        <translation>Eine Grafikkarte, wenn sie es kann, sonst Software</translation>
    </message>
    <message>
        <source>Software</source>
        <translation>Software</translation>
    </message>
    <message>
        <source>The processors decode</source>
        <translation>Die Prozessoren decodieren</translation>
    </message>
    <message>
        <source>Graphics cards of Intel and AMD</source>
        <translation>Grafikkarten von Intel und AMD</translation>
    </message>
    <message>
        <source>Graphics cards of NVIDIA</source>
        <translation>Grafikkarten von NVIDIA</translation>
    </message>
    <message>
        <source>Graphics cards whose driver decodes by Vulkan</source>
        <translation>Grafikkarten, deren Treiber mit Vulkan decodiert</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>Decoder</translation>
    </message>
    <message>
        <source>Where the file&apos;s pictures are decoded</source>
        <translation>Wo die Bilder der Datei decodiert werden</translation>
    </message>
    <message>
        <source>D&amp;ecoder</source>
        <translation>&amp;Decoder</translation>
    </message>
    <message>
        <source>&amp;Pattern</source>
        <translation>M&amp;uster</translation>
    </message>
    <message>
        <source>&amp;Path</source>
        <translation>&amp;Pfad</translation>
    </message>
    <message>
        <source>&amp;Part</source>
        <translation>T&amp;eil</translation>
    </message>
    <message>
        <source>Sc&amp;ene</source>
        <translation>Sz&amp;ene</translation>
    </message>
    <message>
        <source>&amp;Program</source>
        <translation>&amp;Programm</translation>
    </message>
    <message>
        <source>S&amp;ource</source>
        <translation>&amp;Quelle</translation>
    </message>
    <message>
        <source>A media file, or an address that FFmpeg opens</source>
        <translation>Eine Mediendatei oder eine Adresse, die FFmpeg öffnet</translation>
    </message>
    <message>
        <source>&amp;Browse...</source>
        <translation>Wähl&amp;en …</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Eine Datei auswählen</translation>
    </message>
    <message>
        <source>Verbcast - Choose a file to send</source>
        <translation>Verbcast - Zu sendende Datei auswählen</translation>
    </message>
</context>
<context>
    <name>verbcast::StageOverlay</name>
    <message>
        <source>Stage times</source>
        <translation>Zeiten der Stufen</translation>
    </message>
    <message>
        <source>Upload: %1</source>
        <translation>Hochladen: %1</translation>
    </message>
    <message>
        <source>Clocks of the two hosts agree to %1</source>
        <translation>Die Uhren der beiden Rechner stimmen auf %1 überein</translation>
    </message>
    <message>
        <source>Capture</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>draw or decode</source>
        <translation>zeichnen, dekodieren</translation>
    </message>
    <message>
        <source>Post</source>
        <translation>Übergabe</translation>
    </message>
    <message>
        <source>wait for a credit</source>
        <translation>auf Platz warten</translation>
    </message>
    <message>
        <source>Wire</source>
        <translation>Leitung</translation>
    </message>
    <message>
        <source>sender to here</source>
        <translation>vom Sender bis hier</translation>
    </message>
    <message>
        <source>Upload</source>
        <translation>Hochladen</translation>
    </message>
    <message>
        <source>to the GPU</source>
        <translation>in die GPU</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Anzeige</translation>
    </message>
    <message>
        <source>arrival to screen</source>
        <translation>Ankunft bis Bildschirm</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>to its picture</source>
        <translation>bis zu ihrem Bild</translation>
    </message>
</context>
<context>
    <name>verbcast::StatsPanel</name>
    <message>
        <source>Protection</source>
        <translation>Schutz</translation>
    </message>
    <message>
        <source>Whether the viewer is authenticated, and what others on the network could read</source>
        <translation>Ob der Empfänger ausgewiesen ist, und was andere auf dem Weg lesen könnten</translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>The name that the viewer reports</source>
        <translation>Der Name, den der Empfänger angibt</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Where it is</source>
        <translation>Wo er sich befindet</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>Weg</translation>
    </message>
    <message>
        <source>How frames get there</source>
        <translation>Auf welchem Weg die Bilder dorthin kommen</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>Gesendet</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Bilder</translation>
    </message>
    <message>
        <source>Decoder</source>
        <translation>Decoder</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Latency p50 / p99</source>
        <translation>Latenz p50 / p99</translation>
    </message>
    <message>
        <source>From the hand-over here to the arrival there, as the viewer reports it</source>
        <translation>Von der Übergabe hier bis zur Ankunft dort, wie der Empfänger sie meldet</translation>
    </message>
    <message>
        <source>Frames per second, counted once for all viewers</source>
        <translation>Bilder pro Sekunde, für alle Empfänger zusammen einmal gezählt</translation>
    </message>
    <message>
        <source>Pixel data, to all viewers together</source>
        <translation>Pixeldaten, an alle Empfänger zusammen</translation>
    </message>
    <message>
        <source>Of the slowest viewer</source>
        <translation>Die des langsamsten Empfängers</translation>
    </message>
    <message>
        <source>Sent since the start, counted once for all viewers</source>
        <translation>Seit dem Start gesendet, für alle Empfänger zusammen einmal gezählt</translation>
    </message>
    <message>
        <source>Viewers</source>
        <translation>Empfänger</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Ausgelassen</translation>
    </message>
</context>
<context>
    <name>verbcast::StatsText</name>
    <message>
        <source>%1 dropped</source>
        <translation>%1 verworfen</translation>
    </message>
    <message>
        <source>not aligned: its time stamps are far from the others&apos;</source>
        <translation>nicht abgeglichen: Zeitstempel weit von denen der anderen</translation>
    </message>
    <message>
        <source>not aligned: its capture times are far from the others&apos;</source>
        <translation>nicht abgeglichen: Aufnahmezeiten weit von denen der anderen</translation>
    </message>
    <message>
        <source>not aligned: its clock is not known</source>
        <translation>nicht abgeglichen: Uhr unbekannt</translation>
    </message>
    <message>
        <source>aligned by time stamps</source>
        <translation>nach Zeitstempeln abgeglichen</translation>
    </message>
    <message>
        <source>aligned by capture</source>
        <translation>nach Aufnahmezeit abgeglichen</translation>
    </message>
    <message>
        <source>%1, delay %2, skew %3</source>
        <translation>%1, Verzögerung %2, Versatz %3</translation>
    </message>
    <message>
        <source>, needs --slots %1 (now %2)</source>
        <translation>, braucht --slots %1 (jetzt %2)</translation>
    </message>
    <message>
        <source>clocks by PTP, to %1</source>
        <translation>Uhren nach PTP, auf %1</translation>
    </message>
    <message>
        <source>clocks estimated, to %1</source>
        <translation>Uhren geschätzt, auf %1</translation>
    </message>
    <message>
        <source>displays together: %1 (%2)</source>
        <translation>Anzeigen gemeinsam: %1 (%2)</translation>
    </message>
    <message>
        <source>delay %1, skew %2</source>
        <translation>Verzögerung %1, Versatz %2</translation>
    </message>
    <message>
        <source>frames held: %1</source>
        <translation>aufgehaltene Bilder: %1</translation>
    </message>
    <message>
        <source>frames without a display: %1</source>
        <translation>Bilder ohne eine Anzeige: %1</translation>
    </message>
    <message>
        <source>late: %1</source>
        <translation>zu spät: %1</translation>
    </message>
    <message>
        <source>rail %1: frames %2, first %3</source>
        <translation>Schiene %1: Bilder %2, als erste %3</translation>
    </message>
    <message>
        <source>rail %1 is down, frames %2</source>
        <translation>Schiene %1 ist ausgefallen, Bilder %2</translation>
    </message>
    <message>
        <source>rail %1 is not there yet</source>
        <translation>Schiene %1 ist noch nicht da</translation>
    </message>
    <message>
        <source>times lost: %1</source>
        <translation>Ausfälle: %1</translation>
    </message>
    <message>
        <source>sound is not played</source>
        <translation>Ton wird nicht gespielt</translation>
    </message>
    <message>
        <source>no sound is heard: %1</source>
        <translation>kein Ton zu hören: %1</translation>
    </message>
    <message>
        <source>no sound now</source>
        <translation>gerade kein Ton</translation>
    </message>
    <message numerus="yes">
        <source>sound %1 ms, drift %2 ppm, %3 ms, %n underruns</source>
        <translation>
            <numerusform>Ton %1 ms, Drift %2 ppm, %3 ms, %n Aussetzer</numerusform>
            <numerusform>Ton %1 ms, Drift %2 ppm, %3 ms, %n Aussetzer</numerusform>
        </translation>
    </message>
    <message>
        <source>Sound of %1</source>
        <translation>Ton mit %1</translation>
    </message>
    <message>
        <source>Played by %1</source>
        <translation>Gespielt von %1</translation>
    </message>
    <message>
        <source>Pictures wait %1 for their sound</source>
        <translation>Bilder warten %1 auf ihren Ton</translation>
    </message>
    <message numerus="yes">
        <source>%n pictures waited less, since there are too few slots (--slots)</source>
        <translation>
            <numerusform>%n Bild wartete weniger, da es zu wenige Slots gibt (--slots)</numerusform>
            <numerusform>%n Bilder warteten weniger, da es zu wenige Slots gibt (--slots)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>verbcast::StatusStrip</name>
    <message>
        <source>paused</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>Frames that arrive per second</source>
        <translation>Bilder, die pro Sekunde ankommen</translation>
    </message>
    <message>
        <source>Pixels that arrive, in 10⁹ bytes per second</source>
        <translation>Ankommende Pixel, in 10⁹ Byte pro Sekunde</translation>
    </message>
    <message>
        <source>Dropped</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>Ausgelassen</translation>
    </message>
    <message>
        <source>Zoom</source>
        <translation>Zoom</translation>
    </message>
    <message>
        <source>Screen pixels per picture pixel (0 fits, 1 is 1:1)</source>
        <translation>Bildschirmpixel pro Bildpixel (0 passt ein, 1 ist 1:1)</translation>
    </message>
    <message>
        <source>Stream status</source>
        <translation>Zustand des Streams</translation>
    </message>
    <message>
        <source>Transport</source>
        <translation>Transport</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>Peer</source>
        <translation>Gegenstelle</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Input</source>
        <translation>Eingabe</translation>
    </message>
    <message>
        <source>no input</source>
        <translation>keine Eingaben</translation>
    </message>
    <message>
        <source>The sender does not accept keys or mouse: input is not allowed there</source>
        <translation>Der Sender nimmt weder Tasten noch Maus an: Eingaben sind dort nicht erlaubt</translation>
    </message>
    <message>
        <source>send input</source>
        <translation>Eingaben senden</translation>
    </message>
    <message>
        <source>Click or press Right Ctrl: keys, mouse and touch go to the sender</source>
        <translation>Klicken oder Strg rechts drücken: Tasten, Maus und Berührungen gehen an den Sender</translation>
    </message>
    <message>
        <source>sending input: Right Ctrl stops</source>
        <translation>Eingaben gehen an den Sender: Strg rechts beendet</translation>
    </message>
    <message>
        <source>Keys, mouse and touch go to the sender. Hold Right Ctrl to use the viewer&apos;s own keys</source>
        <translation>Tasten, Maus und Berührungen gehen an den Sender. Mit gehaltenem Strg rechts gelten die Tasten dieses Fensters</translation>
    </message>
    <message numerus="yes">
        <source>%n missing</source>
        <translation>
            <numerusform>%n fehlt</numerusform>
            <numerusform>%n fehlen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1: %n frames, %2</source>
        <translation>
            <numerusform>%1: %n Bild, %2</numerusform>
            <numerusform>%1: %n Bilder, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n frames arrived while writing was behind, and are not in the file</source>
        <translation>
            <numerusform>%n Bild kam, während das Schreiben zurücklag, und fehlt in der Datei</numerusform>
            <numerusform>%n Bilder kamen, während das Schreiben zurücklag, und fehlen in der Datei</numerusform>
        </translation>
    </message>
    <message>
        <source>Upload %1</source>
        <translation>Hochladen %1</translation>
    </message>
    <message>
        <source>Between two hosts: clocks agree to within %1</source>
        <translation>Zwischen zwei Rechnern: die Uhren stimmen auf %1 überein</translation>
    </message>
    <message>
        <source>Median and 99th percentile, from the sender submitting a frame to its arrival here</source>
        <translation>Median und 99. Perzentil, von der Übergabe eines Bildes beim Sender bis zur Ankunft hier</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>Aufnahme</translation>
    </message>
    <message>
        <source>Arriving/s</source>
        <translation>Ankunft/s</translation>
    </message>
    <message>
        <source>Shown/s</source>
        <translation>Gezeigt/s</translation>
    </message>
    <message>
        <source>Frames that reach the screen per second</source>
        <translation>Bilder, die je Sekunde auf den Bildschirm kommen</translation>
    </message>
    <message>
        <source>Arrival p50 / p99</source>
        <translation>Ankunft p50 / p99</translation>
    </message>
    <message>
        <source>Screen p50 / p99</source>
        <translation>Schirm p50 / p99</translation>
    </message>
    <message>
        <source>sending input</source>
        <translation>Eingaben gehen hin</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>beenden</translation>
    </message>
    <message>
        <source>record</source>
        <translation>aufnehmen</translation>
    </message>
    <message>
        <source>Stop recording and complete the file (Ctrl+R)</source>
        <translation>Aufnahme beenden und die Datei abschließen (Strg+R)</translation>
    </message>
    <message>
        <source>Record every frame of this stream into the folder for videos (Ctrl+R)</source>
        <translation>Jedes Bild dieses Streams in den Ordner für Videos aufnehmen (Strg+R)</translation>
    </message>
    <message>
        <source>○ REC  %1nothing yet</source>
        <translation>○ REC  %1noch nichts</translation>
    </message>
    <message>
        <source>● REC  %1%2</source>
        <translation>● REC  %1%2</translation>
    </message>
    <message>
        <source>○ REC stopped  %1%2</source>
        <translation>○ REC beendet  %1%2</translation>
    </message>
    <message>
        <source>%1 free</source>
        <translation>%1 frei</translation>
    </message>
    <message>
        <source>Median and 99th percentile, from the sender submitting a frame to its being shown here</source>
        <translation>Median und 99. Perzentil, von der Übergabe eines Bildes beim Sender bis es hier gezeigt wird</translation>
    </message>
    <message>
        <source>muted</source>
        <translation>stumm</translation>
    </message>
    <message>
        <source>The sound is off: M turns it on</source>
        <translation>Der Ton ist aus: M schaltet ihn ein</translation>
    </message>
</context>
<context>
    <name>verbcast::StreamFeed</name>
    <message>
        <source>Not paired yet</source>
        <translation>Noch nicht gekoppelt</translation>
    </message>
    <message>
        <source>The other side serves paired hosts only, and shows a code now</source>
        <translation>Die Gegenseite bedient nur gekoppelte Rechner und zeigt jetzt einen Code</translation>
    </message>
    <message>
        <source>Press O and connect again to type the code</source>
        <translation>Drücken Sie O und verbinden Sie erneut, um den Code einzugeben</translation>
    </message>
    <message>
        <source>This picture does not fit the wall</source>
        <translation>Dieses Bild passt nicht zur Wand</translation>
    </message>
    <message>
        <source>It must be rotated or stretched before it is shown, which walls do not support</source>
        <translation>Es soll vor dem Zeigen gedreht oder gestreckt werden, was eine Wand nicht tut</translation>
    </message>
    <message>
        <source>Send upright pictures with square pixels</source>
        <translation>Aufrechte Bilder mit quadratischen Pixeln senden</translation>
    </message>
    <message>
        <source>Sound without pictures</source>
        <translation>Ton ohne Bilder</translation>
    </message>
    <message>
        <source>V shows its level</source>
        <translation>V zeigt den Pegel</translation>
    </message>
</context>
<context>
    <name>verbcast::StreamMessage</name>
    <message>
        <source>%1 s ago</source>
        <translation>vor %1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s ago</source>
        <translation>vor %1 min %2 s</translation>
    </message>
    <message>
        <source>Opening the address</source>
        <translation>Die Adresse wird geöffnet</translation>
    </message>
    <message>
        <source>The stream failed</source>
        <translation>Der Stream ist fehlgeschlagen</translation>
    </message>
    <message>
        <source>Connected</source>
        <translation>Verbunden</translation>
    </message>
    <message>
        <source>No frame has arrived yet</source>
        <translation>Es ist noch kein Bild angekommen</translation>
    </message>
    <message>
        <source>Waiting for the sender to return</source>
        <translation>Warten auf die Rückkehr des Senders</translation>
    </message>
    <message>
        <source>Signal lost</source>
        <translation>Signal verloren</translation>
    </message>
    <message>
        <source>Stream ended</source>
        <translation>Stream beendet</translation>
    </message>
    <message>
        <source>Waiting for a sender</source>
        <translation>Warten auf einen Sender</translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation>Verbindung wird hergestellt</translation>
    </message>
    <message>
        <source>Something is wrong</source>
        <translation>Etwas stimmt nicht</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min %2 s</source>
        <translation>%1 min %2 s</translation>
    </message>
    <message>
        <source>Trying for %1. Is the address right, and does the sender run there?</source>
        <translation>Versuche seit %1. Stimmt die Adresse, und läuft der Sender dort?</translation>
    </message>
</context>
<context>
    <name>verbcast::ThroughputPlot</name>
    <message>
        <source>Throughput plot</source>
        <translation>Verlauf des Durchsatzes</translation>
    </message>
    <message>
        <source>Throughput and frame rate of the last 60 seconds</source>
        <translation>Durchsatz und Bildrate der letzten 60 Sekunden</translation>
    </message>
    <message>
        <source>60 s ago</source>
        <translation>vor 60 s</translation>
    </message>
    <message>
        <source>now</source>
        <translation>jetzt</translation>
    </message>
</context>
<context>
    <name>verbcast::TrustForm</name>
    <message>
        <source>Encr&amp;ypt the pictures</source>
        <translation>Bilder vers&amp;chlüsseln</translation>
    </message>
    <message>
        <source>Let in anybo&amp;dy</source>
        <translation>&amp;Jeden einlassen</translation>
    </message>
    <message>
        <source>A key already encrypts everything but the pictures; this encrypts them, too (AES-256-GCM)</source>
        <translation>Ein Schlüssel verschlüsselt schon alles außer den Bildern; dies verschlüsselt auch sie (AES-256-GCM)</translation>
    </message>
    <message>
        <source>Trust</source>
        <translation>Vertrauen</translation>
    </message>
    <message>
        <source>&amp;Key</source>
        <translation>Schlüsse&amp;l</translation>
    </message>
    <message>
        <source>They may</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <source>Any host can connect, and anyone on the network can read and change everything.</source>
        <translation>Jeder Rechner kann sich verbinden, und jeder auf dem Weg kann alles lesen und ändern.</translation>
    </message>
    <message>
        <source>view</source>
        <translation>sehen</translation>
    </message>
    <message>
        <source>They may view</source>
        <translation>Andere dürfen sehen</translation>
    </message>
    <message>
        <source>See what is sent</source>
        <translation>Sehen, was gesendet wird</translation>
    </message>
    <message>
        <source>send</source>
        <translation>senden</translation>
    </message>
    <message>
        <source>They may send</source>
        <translation>Andere dürfen senden</translation>
    </message>
    <message>
        <source>Send what is viewed</source>
        <translation>Senden, was hier gezeigt wird</translation>
    </message>
    <message>
        <source>input</source>
        <translation>steuern</translation>
    </message>
    <message>
        <source>They may input</source>
        <translation>Andere dürfen steuern</translation>
    </message>
    <message>
        <source>Use keyboard and mouse, where input is allowed</source>
        <translation>Tastatur und Maus benutzen, wo Eingaben erlaubt sind</translation>
    </message>
    <message>
        <source>What admitted peers may do</source>
        <translation>Was die dürfen, die eingelassen werden</translation>
    </message>
    <message>
        <source>A key keeps all others out</source>
        <translation>Ein Schlüssel hält alle anderen fern</translation>
    </message>
    <message>
        <source>Otherwise only this machine and holders of the key can connect</source>
        <translation>Sonst können sich nur dieser Rechner und Besitzer des Schlüssels verbinden</translation>
    </message>
    <message>
        <source>Only the side that listens admits others</source>
        <translation>Nur die wartende Seite lässt andere ein</translation>
    </message>
</context>
<context>
    <name>verbcast::ViewPage</name>
    <message>
        <source>Connec&amp;t to a sender</source>
        <translation>Mit einem Sender ver&amp;binden</translation>
    </message>
    <message>
        <source>&amp;Wait for a sender</source>
        <translation>Auf einen Sender &amp;warten</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>&amp;Fullscreen</source>
        <translation>&amp;Vollbild</translation>
    </message>
    <message>
        <source>Send keys and &amp;mouse</source>
        <translation>Tasten und &amp;Maus senden</translation>
    </message>
    <message>
        <source>&amp;Open the stream</source>
        <translation>Stream ö&amp;ffnen</translation>
    </message>
    <message>
        <source>Addresses that you open are kept here</source>
        <translation>Adressen, die Sie öffnen, werden hier aufgehoben</translation>
    </message>
    <message>
        <source>Streams that you open are listed here</source>
        <translation>Streams, die Sie öffnen, werden hier aufgeführt</translation>
    </message>
    <message>
        <source>C&amp;lose the stream</source>
        <translation>Str&amp;eam schließen</translation>
    </message>
    <message>
        <source>The sender waits for viewers</source>
        <translation>Der Sender wartet auf Empfänger</translation>
    </message>
    <message>
        <source>The sender connects to this machine</source>
        <translation>Der Sender verbindet sich mit diesem Rechner</translation>
    </message>
    <message>
        <source>The picture fills the screen; Esc leaves</source>
        <translation>Das Bild füllt den Bildschirm; Esc verlässt es</translation>
    </message>
    <message>
        <source>Keys, mouse and touch go to the sender, if it allows input; Right Ctrl takes them back</source>
        <translation>Tasten, Maus und Berührungen gehen an den Sender, wenn er Eingaben erlaubt; Strg rechts holt sie zurück</translation>
    </message>
    <message>
        <source>Open the stream in a window of its own (Enter in the address)</source>
        <translation>Den Stream in einem eigenen Fenster öffnen (Eingabe in der Adresse)</translation>
    </message>
    <message>
        <source>Sender</source>
        <translation>Sender</translation>
    </message>
    <message>
        <source>&amp;Address</source>
        <translation>&amp;Adresse</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>Fenster</translation>
    </message>
    <message>
        <source>Recent addresses</source>
        <translation>Letzte Adressen</translation>
    </message>
    <message>
        <source>Enter or a double click opens the stream; Del forgets the address</source>
        <translation>Eingabe oder ein Doppelklick öffnet den Stream; Entf vergisst die Adresse</translation>
    </message>
    <message>
        <source>Open streams</source>
        <translation>Offene Streams</translation>
    </message>
    <message>
        <source>Streams that are open in a window</source>
        <translation>Streams, die in einem Fenster offen sind</translation>
    </message>
    <message>
        <source>Close the window of the selected stream</source>
        <translation>Das Fenster des gewählten Streams schließen</translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>&amp;Recent addresses</source>
        <translation>Letzte Ad&amp;ressen</translation>
    </message>
    <message>
        <source>Open &amp;streams</source>
        <translation>Offene &amp;Streams</translation>
    </message>
    <message>
        <source>every address, port 7423</source>
        <translation>jede Adresse, Port 7423</translation>
    </message>
    <message>
        <source>this machine, port 7423</source>
        <translation>dieser Rechner, Port 7423</translation>
    </message>
    <message>
        <source>wait at %1</source>
        <translation>warten an %1</translation>
    </message>
    <message>
        <source>port 7423</source>
        <translation>Port 7423</translation>
    </message>
    <message>
        <source>waiting at %1, since %2</source>
        <translation>wartet an %1, seit %2</translation>
    </message>
    <message>
        <source>from %1, since %2</source>
        <translation>von %1, seit %2</translation>
    </message>
    <message>
        <source>%1: failed</source>
        <translation>%1: fehlgeschlagen</translation>
    </message>
    <message>
        <source>%1: closed</source>
        <translation>%1: geschlossen</translation>
    </message>
    <message>
        <source>%1 cannot be shown</source>
        <translation>%1 lässt sich nicht zeigen</translation>
    </message>
    <message>
        <source>verbs://host:port, tcp://host:port, shm://name, or host:port for the best that works. Several, with spaces between them, share a window</source>
        <translation>verbs://Host:Port, tcp://Host:Port, shm://Name, oder Host:Port für den besten Weg, der funktioniert. Mehrere, durch Leerzeichen getrennt, teilen sich ein Fenster</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Anordnung</translation>
    </message>
    <message>
        <source>How several streams share the window; L changes it there</source>
        <translation>Wie sich mehrere Streams das Fenster teilen; L wechselt sie dort</translation>
    </message>
    <message>
        <source>Layo&amp;ut</source>
        <translation>Anor&amp;dnung</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>Gemeinsam</translation>
    </message>
    <message>
        <source>Which frames of several streams are shown together: stereo pairs and camera arrays need matching ones</source>
        <translation>Welche Bilder mehrerer Streams zusammen gezeigt werden: Stereopaare und Kameragruppen brauchen die, die zusammengehören</translation>
    </message>
    <message>
        <source>Delay</source>
        <translation>Verzögerung</translation>
    </message>
    <message>
        <source>Milliseconds from capture, or from arrival where time stamps decide, to the screen; empty: the smallest that suffices</source>
        <translation>Millisekunden von der Aufnahme, oder von der Ankunft, wo Zeitstempel entscheiden, bis zum Bildschirm; keine: die kleinste, die reicht</translation>
    </message>
    <message>
        <source>newest</source>
        <translation>die neuesten</translation>
    </message>
    <message>
        <source>by capture</source>
        <translation>nach Aufnahme</translation>
    </message>
    <message>
        <source>by time stamp</source>
        <translation>nach Zeitstempel</translation>
    </message>
    <message>
        <source>delay, ms</source>
        <translation>Verzögerung, ms</translation>
    </message>
    <message>
        <source>To&amp;gether</source>
        <translation>&amp;Gemeinsam</translation>
    </message>
    <message>
        <source>Senders</source>
        <translation>Sender</translation>
    </message>
    <message>
        <source>Waiting: how many senders share the window</source>
        <translation>Beim Warten: so viele Sender teilen sich das Fenster</translation>
    </message>
    <message>
        <source>one</source>
        <translation>einer</translation>
    </message>
    <message>
        <source>Se&amp;nders</source>
        <translation>Se&amp;nder</translation>
    </message>
</context>
<context>
    <name>verbcast::ViewerController</name>
    <message>
        <source>No stream</source>
        <translation>Kein Stream</translation>
    </message>
    <message>
        <source>Press A to add one, or drop an address here</source>
        <translation>A fügt einen hinzu, ebenso eine Adresse, die hier abgelegt wird</translation>
    </message>
    <message>
        <source>Waiting for senders</source>
        <translation>Warten auf Sender</translation>
    </message>
    <message>
        <source>on %1, %2 at most</source>
        <translation>an %1, höchstens %2</translation>
    </message>
</context>
<context>
    <name>verbcast::ViewerWindow</name>
    <message>
        <source>Eyes can be swapped in a stereo layout: press L</source>
        <translation>Augen lassen sich in einer Stereo-Anordnung vertauschen: L drücken</translation>
    </message>
    <message>
        <source>The left eye sees %1</source>
        <translation>Das linke Auge sieht %1</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>Bild</translation>
    </message>
    <message>
        <source>Recording has stopped: %1</source>
        <translation>Die Aufnahme ist beendet: %1</translation>
    </message>
    <message>
        <source>No sender is connected yet</source>
        <translation>Es ist noch kein Sender verbunden</translation>
    </message>
    <message>
        <source>This sender does not accept input: it must be allowed there</source>
        <translation>Dieser Sender nimmt keine Eingaben an: sie müssen dort erlaubt werden</translation>
    </message>
    <message>
        <source>Keys and mouse now go to the sender. Press Right Ctrl to stop</source>
        <translation>Tasten und Maus gehen jetzt an den Sender. Strg rechts beendet es</translation>
    </message>
    <message>
        <source>Keys and mouse are the viewer&apos;s again. Press Right Ctrl to send them</source>
        <translation>Tasten und Maus gehören wieder diesem Fenster. Strg rechts sendet sie</translation>
    </message>
    <message>
        <source>Esc leaves fullscreen; F1 lists all keys</source>
        <translation>Esc verlässt das Vollbild; F1 zeigt alle Tasten</translation>
    </message>
    <message>
        <source>There is no picture to save yet</source>
        <translation>Es gibt noch kein Bild zum Speichern</translation>
    </message>
    <message>
        <source>Saving the picture ...</source>
        <translation>Das Bild wird gespeichert …</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 gespeichert</translation>
    </message>
    <message>
        <source>Saved %1, with the key of the stream in focus only: a session has one</source>
        <translation>%1 gespeichert, nur mit dem Schlüssel des gewählten Streams: eine Sitzung hat einen</translation>
    </message>
    <message>
        <source>A session cannot hold a stereo pair that comes as one stream</source>
        <translation>Eine Sitzung kann kein Stereopaar enthalten, das als ein Stream kommt</translation>
    </message>
    <message>
        <source>standard output</source>
        <translation>Standardausgabe</translation>
    </message>
    <message>
        <source>Esc leaves fullscreen; Q quits</source>
        <translation>Esc verlässt das Vollbild; Q beendet</translation>
    </message>
    <message numerus="yes">
        <source>%n streams</source>
        <translation>
            <numerusform>%n Stream</numerusform>
            <numerusform>%n Streams</numerusform>
        </translation>
    </message>
    <message>
        <source>%1: press %2 for all</source>
        <translation>%1: %2 zeigt wieder alle</translation>
    </message>
    <message>
        <source>%1  −  %2</source>
        <translation>%1  −  %2</translation>
    </message>
    <message>
        <source>PSNR %1 dB, largest difference %2 of 255, amplified %3 times</source>
        <translation>PSNR %1 dB, größter Unterschied %2 von 255, %3-fach verstärkt</translation>
    </message>
    <message>
        <source>Frame %1 of both</source>
        <translation>Bild %1 von beiden</translation>
    </message>
    <message>
        <source>Two pictures of one size are needed for numbers</source>
        <translation>Für Zahlen sind zwei gleich große Bilder nötig</translation>
    </message>
    <message>
        <source>&amp;Add a stream ...</source>
        <translation>Stream &amp;hinzufügen …</translation>
    </message>
    <message>
        <source>Add a re&amp;cent one</source>
        <translation>Einen der let&amp;zten hinzufügen</translation>
    </message>
    <message>
        <source>Connect to an&amp;other sender ...</source>
        <translation>Mit anderem Sender &amp;verbinden …</translation>
    </message>
    <message>
        <source>&amp;Remove %1</source>
        <translation>%1 &amp;entfernen</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>&amp;Entfernen</translation>
    </message>
    <message>
        <source>&amp;Layout</source>
        <translation>&amp;Anordnung</translation>
    </message>
    <message>
        <source>To the &amp;front</source>
        <translation>Nach v&amp;orn</translation>
    </message>
    <message>
        <source>To the &amp;back</source>
        <translation>Nach h&amp;inten</translation>
    </message>
    <message>
        <source>&amp;More opaque</source>
        <translation>Dec&amp;kender</translation>
    </message>
    <message>
        <source>Less opa&amp;que</source>
        <translation>&amp;Durchsichtiger</translation>
    </message>
    <message>
        <source>Use its al&amp;pha, or not</source>
        <translation>Al&amp;pha nutzen oder nicht</translation>
    </message>
    <message>
        <source>A window shows at most %1 streams, including those that may still connect</source>
        <translation>Ein Fenster zeigt höchstens %1 Streams, samt denen, die noch anrufen können</translation>
    </message>
    <message>
        <source>What is recorded or hashed is one stream: start another viewer for more</source>
        <translation>Aufgenommen oder geprüft wird ein Stream: starten Sie für weitere einen anderen Empfänger</translation>
    </message>
    <message>
        <source>A tile of a wall shows one stream: start another viewer for more</source>
        <translation>Eine Kachel einer Wand zeigt einen Stream: für mehr einen weiteren Empfänger starten</translation>
    </message>
    <message>
        <source>A tile of a wall shows one stream: close the window to end it</source>
        <translation>Eine Kachel einer Wand zeigt einen Stream: das Fenster schließen, um ihn zu beenden</translation>
    </message>
    <message>
        <source>The stream is recorded: close the window to end it</source>
        <translation>Der Stream wird aufgenommen: schließen Sie das Fenster, um ihn zu beenden</translation>
    </message>
    <message>
        <source>%1 was removed</source>
        <translation>%1 wurde entfernt</translation>
    </message>
    <message>
        <source>Verbcast - Save the session</source>
        <translation>Verbcast - Sitzung speichern</translation>
    </message>
    <message>
        <source>Verbcast sessions (*.verbcast);;All files (*)</source>
        <translation>Verbcast-Sitzungen (*.verbcast);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>%1: opacity %2 %</source>
        <translation>%1: Deckkraft %2 %</translation>
    </message>
    <message>
        <source>%1: its alpha is used</source>
        <translation>%1: sein Alpha lässt durchscheinen, was dahinter liegt</translation>
    </message>
    <message>
        <source>%1: its alpha is not used</source>
        <translation>%1: sein Alpha wird nicht genutzt</translation>
    </message>
    <message>
        <source>Frames %1 and %2, of the same time</source>
        <translation>Bilder %1 und %2, vom selben Zeitpunkt</translation>
    </message>
    <message>
        <source>Different frames: %1 and %2</source>
        <translation>Verschiedene Bilder: %1 und %2</translation>
    </message>
    <message>
        <source>, %1 ms apart</source>
        <translation>, %1 ms auseinander</translation>
    </message>
    <message>
        <source>H shows the strip again</source>
        <translation>H zeigt die Leiste wieder</translation>
    </message>
    <message>
        <source>This stream is recorded already, into %1</source>
        <translation>Dieser Stream wird schon aufgenommen, in %1</translation>
    </message>
    <message>
        <source>Completing the recording ...</source>
        <translation>Aufnahme wird abgeschlossen …</translation>
    </message>
    <message>
        <source>Recording every frame into %1</source>
        <translation>Jedes Bild wird aufgenommen in %1</translation>
    </message>
    <message>
        <source>Not recorded: %1</source>
        <translation>Keine Aufnahme: %1</translation>
    </message>
    <message numerus="yes">
        <source>Recorded %n frames in %1</source>
        <translation>
            <numerusform>%n Bild aufgenommen in %1</numerusform>
            <numerusform>%n Bilder aufgenommen in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n frames arrived while writing was behind, and are not in the file</source>
        <translation>
            <numerusform>%n Bild kam, während das Schreiben zurücklag, und ist nicht in der Datei</numerusform>
            <numerusform>%n Bilder kamen, während das Schreiben zurücklag, und sind nicht in der Datei</numerusform>
        </translation>
    </message>
    <message>
        <source>Send this view</source>
        <translation>Diese Ansicht senden</translation>
    </message>
    <message>
        <source>Send this view (%1)</source>
        <translation>Diese Ansicht senden (%1)</translation>
    </message>
    <message>
        <source>Sa&amp;ve the session ...</source>
        <translation>Sitzung speiche&amp;rn …</translation>
    </message>
    <message>
        <source>One to o&amp;ne</source>
        <translation>Ei&amp;ns zu eins</translation>
    </message>
    <message>
        <source>&amp;Save the picture</source>
        <translation>Bild spei&amp;chern</translation>
    </message>
    <message>
        <source>Recor&amp;d</source>
        <translation>Aufneh&amp;men</translation>
    </message>
    <message>
        <source>Verbcast - Send a file</source>
        <translation>Verbcast - Datei senden</translation>
    </message>
    <message>
        <source>%1 is a file, not a sender.</source>
        <translation>%1 ist eine Datei, kein Sender.</translation>
    </message>
    <message>
        <source>Viewers show what a sender sends. Open the window that sends it?</source>
        <translation>Empfänger zeigen, was ein Sender sendet. Das Fenster öffnen, das sie sendet?</translation>
    </message>
    <message>
        <source>&amp;Send it...</source>
        <translation>&amp;Senden …</translation>
    </message>
    <message>
        <source>❚❚  Paused: Space continues</source>
        <translation>❚❚  Pause: Leertaste setzt fort</translation>
    </message>
    <message>
        <source>Qu&amp;it</source>
        <translation>&amp;Beenden</translation>
    </message>
    <message>
        <source>Fit the &amp;window</source>
        <translation>Ein&amp;passen</translation>
    </message>
    <message>
        <source>Pa&amp;use</source>
        <translation>Pa&amp;use</translation>
    </message>
    <message>
        <source>Sta&amp;ge times</source>
        <translation>Stu&amp;fenzeiten</translation>
    </message>
    <message>
        <source>Wave&amp;form</source>
        <translation>Wellen&amp;form</translation>
    </message>
    <message>
        <source>Send ke&amp;ys and mouse</source>
        <translation>Tasten und Maus &amp;senden</translation>
    </message>
    <message>
        <source>Status s&amp;trip</source>
        <translation>Statuszei&amp;le</translation>
    </message>
    <message>
        <source>Fullscr&amp;een</source>
        <translation>Vollbil&amp;d</translation>
    </message>
    <message>
        <source>No pictures come that could be recorded</source>
        <translation>Es kommen keine Bilder, die aufgenommen werden könnten</translation>
    </message>
    <message>
        <source>Recording %1 has stopped: %2</source>
        <translation>Aufnahme %1 wurde beendet: %2</translation>
    </message>
    <message>
        <source>Nothing was recorded: no picture came</source>
        <translation>Nichts wurde aufgenommen: es kam kein Bild</translation>
    </message>
    <message>
        <source>Recorded the sound in %1</source>
        <translation>Ton aufgenommen in %1</translation>
    </message>
    <message numerus="yes">
        <source>%n frames were dropped on the way</source>
        <translation>
            <numerusform>%n Bild ging unterwegs verloren</numerusform>
            <numerusform>%n Bilder gingen unterwegs verloren</numerusform>
        </translation>
    </message>
    <message>
        <source>S&amp;hortcuts</source>
        <translation>&amp;Tastenkürzel</translation>
    </message>
    <message>
        <source>● REC  %1</source>
        <translation>● REC  %1</translation>
    </message>
    <message>
        <source>○ REC stopped  %1</source>
        <translation>○ REC beendet  %1</translation>
    </message>
    <message>
        <source>❚❚  Paused</source>
        <translation>❚❚  Pause</translation>
    </message>
    <message>
        <source>Messages ...</source>
        <translation>Meldungen …</translation>
    </message>
    <message>
        <source>There is no stream to remove</source>
        <translation>Es gibt keinen Stream zu entfernen</translation>
    </message>
    <message>
        <source>verbcast cannot be started: it must be installed together with its window</source>
        <translation>verbcast lässt sich nicht starten: Es muss zusammen mit seinem Fenster installiert sein</translation>
    </message>
    <message>
        <source>This key is for several streams: A adds one</source>
        <translation>Diese Taste ist für mehrere Streams: A fügt einen hinzu</translation>
    </message>
    <message>
        <source>One stream is shown alone: press its number for all</source>
        <translation>Ein Stream wird allein gezeigt: Seine Ziffer zeigt wieder alle</translation>
    </message>
    <message>
        <source>This key is for the free layout: L chooses it</source>
        <translation>Diese Taste ist für die freie Anordnung: L wählt sie</translation>
    </message>
    <message>
        <source>There is no stream %1</source>
        <translation>Es gibt keinen Stream %1</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>Ton</translation>
    </message>
    <message>
        <source>&amp;Mute</source>
        <translation>&amp;Stumm</translation>
    </message>
    <message>
        <source>&amp;Louder</source>
        <translation>&amp;Lauter</translation>
    </message>
    <message>
        <source>&amp;Quieter</source>
        <translation>L&amp;eiser</translation>
    </message>
    <message>
        <source>L&amp;evel meters</source>
        <translation>&amp;Aussteuerung</translation>
    </message>
    <message>
        <source>Sound from &amp;this pane</source>
        <translation>Ton aus &amp;diesem Bild</translation>
    </message>
</context>
<context>
    <name>verbcast::WallCanvas</name>
    <message>
        <source>The wall</source>
        <translation>Die Wand</translation>
    </message>
    <message>
        <source>Drag a display, or use arrow keys (Shift: by ten); drag a corner to resize it. Page Down: the next</source>
        <translation>Eine Anzeige ziehen, oder mit Pfeiltasten (Umschalt: um zehn); eine Ecke ziehen ändert die Größe. Bild ab: die nächste</translation>
    </message>
    <message>
        <source>warped</source>
        <translation>verzerrt</translation>
    </message>
</context>
<context>
    <name>verbcast::WallPage</name>
    <message>
        <source>Walls (*.json);;All files (*)</source>
        <translation>Wände (*.json);;Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Ne&amp;w...</source>
        <translation>&amp;Neu …</translation>
    </message>
    <message>
        <source>&amp;Open...</source>
        <translation>Ö&amp;ffnen …</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>&amp;Speichern</translation>
    </message>
    <message>
        <source>Save &amp;as...</source>
        <translation>Speichern &amp;unter …</translation>
    </message>
    <message>
        <source>A&amp;dd a display</source>
        <translation>Anzeige hinzufü&amp;gen</translation>
    </message>
    <message>
        <source>Remo&amp;ve it</source>
        <translation>En&amp;tfernen</translation>
    </message>
    <message>
        <source>Parts are on no displa&amp;y</source>
        <translation>Teil&amp;e sind auf keiner Anzeige</translation>
    </message>
    <message>
        <source>Picture from</source>
        <translation>Bild von</translation>
    </message>
    <message>
        <source>A sender whose picture is shown behind the displays, a few times a second</source>
        <translation>Ein Sender, dessen Bild hinter den Anzeigen zu sehen ist, ein paar Mal in der Sekunde</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Zeigen</translation>
    </message>
    <message>
        <source>Nothing is wrong with this wall</source>
        <translation>An dieser Wand ist nichts falsch</translation>
    </message>
    <message>
        <source>The last wall cannot be opened</source>
        <translation>Die Wand vom letzten Mal kann nicht geöffnet werden</translation>
    </message>
    <message>
        <source>A wall of equal displays</source>
        <translation>Eine Wand aus gleichen Anzeigen</translation>
    </message>
    <message>
        <source>The file of a wall</source>
        <translation>Die Datei einer Wand</translation>
    </message>
    <message>
        <source>Into its file</source>
        <translation>In ihre Datei</translation>
    </message>
    <message>
        <source>Into another file</source>
        <translation>In eine andere Datei</translation>
    </message>
    <message>
        <source>One more, like the selected one</source>
        <translation>Noch eine wie die gewählte</translation>
    </message>
    <message>
        <source>Remove the selected display from the wall (Del)</source>
        <translation>Die gewählte Anzeige aus der Wand nehmen (Entf)</translation>
    </message>
    <message>
        <source>Behind bezels, or beside a wall that is not a rectangle</source>
        <translation>Hinter Rahmen, oder neben einer Wand, die kein Rechteck ist</translation>
    </message>
    <message>
        <source>no picture</source>
        <translation>kein Bild</translation>
    </message>
    <message>
        <source>Show what that sender sends now</source>
        <translation>Zeigen, was dieser Sender jetzt sendet</translation>
    </message>
    <message>
        <source>What is wrong</source>
        <translation>Was falsch ist</translation>
    </message>
    <message>
        <source>What must be fixed before displays can show the wall</source>
        <translation>Was richtigzustellen ist, bevor Anzeigen die Wand zeigen können</translation>
    </message>
    <message>
        <source>Pictur&amp;e from</source>
        <translation>Bild &amp;von</translation>
    </message>
    <message>
        <source>Verbcast - Wall</source>
        <translation>Verbcast - Wand</translation>
    </message>
    <message>
        <source>Save the wall first?</source>
        <translation>Die Wand zuerst speichern?</translation>
    </message>
    <message>
        <source>It has changed since it was opened or saved.</source>
        <translation>Sie hat sich geändert, seit sie geöffnet oder gespeichert wurde.</translation>
    </message>
    <message>
        <source>There is no such wall</source>
        <translation>Eine solche Wand gibt es nicht</translation>
    </message>
    <message>
        <source>Verbcast - Open a wall</source>
        <translation>Verbcast - Eine Wand öffnen</translation>
    </message>
    <message>
        <source>The wall cannot be opened</source>
        <translation>Die Wand kann nicht geöffnet werden</translation>
    </message>
    <message>
        <source>The wall cannot be saved</source>
        <translation>Die Wand kann nicht gespeichert werden</translation>
    </message>
    <message>
        <source>Verbcast - Save the wall</source>
        <translation>Verbcast - Die Wand speichern</translation>
    </message>
    <message>
        <source>Chosen: %1</source>
        <translation>Gewählt: %1</translation>
    </message>
    <message>
        <source>one display</source>
        <translation>eine Anzeige</translation>
    </message>
    <message>
        <source>%1 displays</source>
        <translation>%1 Anzeigen</translation>
    </message>
    <message>
        <source>A new wall</source>
        <translation>Eine neue Wand</translation>
    </message>
    <message>
        <source>picture of %1x%2</source>
        <translation>Bild von %1x%2</translation>
    </message>
    <message>
        <source>There is no such sender</source>
        <translation>Einen solchen Sender gibt es nicht</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Anhalten</translation>
    </message>
    <message>
        <source>shown as it is</source>
        <translation>unverändert gezeigt</translation>
    </message>
    <message>
        <source>shown in proportion</source>
        <translation>im Verhältnis gezeigt</translation>
    </message>
    <message>
        <source>shown with black above and below</source>
        <translation>mit Schwarz oben und unten gezeigt</translation>
    </message>
    <message>
        <source>shown with black at its sides</source>
        <translation>mit Schwarz an den Seiten gezeigt</translation>
    </message>
    <message>
        <source>cut off above and below</source>
        <translation>oben und unten beschnitten</translation>
    </message>
    <message>
        <source>cut off at its sides</source>
        <translation>an den Seiten beschnitten</translation>
    </message>
    <message>
        <source>stretched out of proportion</source>
        <translation>verzerrt</translation>
    </message>
    <message>
        <source>Other pictures</source>
        <translation>Andere Bilder</translation>
    </message>
    <message>
        <source>How pictures of another aspect ratio than the wall&apos;s are shown</source>
        <translation>Wie Bilder mit einem anderen Seitenverhältnis als dem der Wand gezeigt werden</translation>
    </message>
    <message>
        <source>whole, with black beside them</source>
        <translation>ganz, mit Schwarz daneben</translation>
    </message>
    <message>
        <source>cut off at two sides</source>
        <translation>an zwei Seiten beschnitten</translation>
    </message>
    <message>
        <source>stretched</source>
        <translation>verzerrt</translation>
    </message>
    <message>
        <source>Othe&amp;r pictures</source>
        <translation>Bilder an&amp;passen</translation>
    </message>
    <message>
        <source>%1x%2</source>
        <translation>%1x%2</translation>
    </message>
    <message>
        <source>The picture cannot be shown</source>
        <translation>Das Bild kann nicht gezeigt werden</translation>
    </message>
    <message>
        <source>not shown: walls do not rotate or stretch pictures</source>
        <translation>nicht gezeigt: Wände drehen und strecken keine Bilder</translation>
    </message>
</context>
<context>
    <name>verbcast::WindowSound</name>
    <message>
        <source>Sound off: M turns it on</source>
        <translation>Ton aus: M schaltet ihn ein</translation>
    </message>
    <message>
        <source>Sound on, volume %1 %</source>
        <translation>Ton an, Lautstärke %1 %</translation>
    </message>
    <message>
        <source>Volume %1 %, sound off: M turns it on</source>
        <translation>Lautstärke %1 %, Ton aus: M schaltet ihn ein</translation>
    </message>
    <message>
        <source>Volume %1 %</source>
        <translation>Lautstärke %1 %</translation>
    </message>
    <message>
        <source>This stream sounds, whichever has the focus</source>
        <translation>Dieser Stream ist zu hören, welcher auch den Fokus hat</translation>
    </message>
    <message>
        <source>The stream in focus sounds</source>
        <translation>Der Stream im Fokus ist zu hören</translation>
    </message>
</context>
<context>
    <name>verbcast::WindowWords</name>
    <message>
        <source>make one on the page of keys, and choose it at both ends</source>
        <translation>erzeugen Sie einen auf der Seite Schlüssel und wählen Sie ihn an beiden Seiten</translation>
    </message>
    <message>
        <source>make one on the page of keys</source>
        <translation>erzeugen Sie einen auf der Seite Schlüssel</translation>
    </message>
    <message>
        <source>encrypting the pictures needs a key</source>
        <translation>Bilder zu verschlüsseln erfordert einen Schlüssel</translation>
    </message>
    <message>
        <source>admitting anybody and a key exclude each other: a key keeps others out</source>
        <translation>jeden einzulassen und ein Schlüssel schließen sich aus: ein Schlüssel hält andere fern</translation>
    </message>
    <message>
        <source>clear Let in anybody, or start without the key of the environment</source>
        <translation>schalten Sie Jeden einlassen aus, oder starten Sie ohne den Schlüssel der Umgebung</translation>
    </message>
    <message>
        <source>leave Allow input out; a screen and a scene take it</source>
        <translation>schalten Sie Eingaben erlauben aus; ein Bildschirm und eine Szene nehmen sie an</translation>
    </message>
    <message>
        <source>choose another Rate</source>
        <translation>wählen Sie eine andere Bildrate</translation>
    </message>
    <message>
        <source>close other programs on this machine, or view a smaller picture</source>
        <translation>schließen Sie andere Programme auf diesem Rechner oder empfangen Sie ein kleineres Bild</translation>
    </message>
    <message>
        <source>connect again there</source>
        <translation>verbinden Sie dort erneut</translation>
    </message>
    <message>
        <source>send with the policy Lossless</source>
        <translation>senden Sie mit der Strategie Lossless</translation>
    </message>
    <message>
        <source>Allow input</source>
        <translation>Eingaben erlauben</translation>
    </message>
    <message>
        <source>Encrypt the pictures</source>
        <translation>Bilder verschlüsseln</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>Format</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>Bildrate</translation>
    </message>
    <message>
        <source>Fullscreen</source>
        <translation>Vollbild</translation>
    </message>
    <message>
        <source>They may</source>
        <translation>Erlaubt</translation>
    </message>
    <message>
        <source>Send keys and mouse</source>
        <translation>Tasten und Maus senden</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Schlüssel</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Start again at the end</source>
        <translation>Am Ende neu beginnen</translation>
    </message>
    <message>
        <source>Let in anybody</source>
        <translation>Jeden einlassen</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Strategie</translation>
    </message>
    <message>
        <source>Scene</source>
        <translation>Szene</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Größe</translation>
    </message>
</context>
</TS>
