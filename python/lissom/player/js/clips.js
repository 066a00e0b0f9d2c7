// SPDX-License-Identifier: MIT
// Time on clips (as pose_texture/_time_rule.py), playback and fades, and the instances of a crowd. All in double.

const modulo = (x, y) => ((x % y) + y) % y;

// A time within a clip: wrapped into a half-open range where it loops, else clamped.
function timeIn(clip, time, loop = clip.loop) {
  const local = time - clip.start;
  const inside = loop && clip.duration > 0 ? modulo(local, clip.duration) : clamp(local, 0, clip.duration);
  return clip.start + (loop && inside >= clip.duration && clip.duration > 0 ? 0 : inside);
}

// The frame coordinate of a time.
const frameOf = (clip, time, loop) =>
  clip.first_frame + Math.min((timeIn(clip, time, loop) - clip.start) * clip.rate, clip.frame_count - 1);

// The clip of a name, or else the only one like it whatever its case, or else whatever stands before a "|".
function clipNamed(clips, wanted) {
  const like = (cut) => clips.filter(({ name }) => name.toLowerCase().split(cut).pop() === wanted.toLowerCase());
  const exact = clips.find(({ name }) => name === wanted);
  if (exact || typeof wanted !== "string") return exact;
  return [like(), like("|")].find(({ length }) => length === 1)?.[0];
}

// What plays: {clip, time}, and during a fade also `from`, the {clip, time} that fades out, and `fade` from 0 to 1.
function makeClock(clips, name) {
  const named = (name) => clipNamed(clips, name) || clips[0];
  const first = named(name);
  const clock = {
    clip: first,
    time: first?.start ?? 0,
    from: null,
    fade: 0,

    // Whether the picture changes over time.
    moves: () => !!clock.clip && (clock.clip.duration > 0 || !!clock.from),

    // Clips that do not loop start again, too.
    advance(dt, fadeDuration) {
      if (!clock.clip) return;
      clock.time = timeIn(clock.clip, clock.time + dt, true);
      if (!clock.from) return;
      clock.from.time = timeIn(clock.from.clip, clock.from.time + dt, true);
      clock.fade += Math.abs(dt) / fadeDuration;
      if (!(clock.fade < 1)) clock.from = null;
    },

    seek(time) {
      if (clock.clip) clock.time = timeIn(clock.clip, time, clock.clip.loop);
      clock.from = null;
    },

    // Plays another clip, which `fades` in or starts at once. During a fade, the clip with less weight is dropped, as in
    // Crowd.fade_to.
    play(name, fades) {
      const clip = named(name);
      if (clip === clock.clip) return;
      const now = clock.from && clock.fade < 0.5 ? clock.from : { clip: clock.clip, time: clock.time };
      Object.assign(clock, { clip, time: clip.start, from: fades ? now : null, fade: 0 });
    },
  };
  return clock;
}

// The box of the motion that plays, in model space; in a fade it goes from one clip's to the next one's.
function boxOfMotion({ clip, from, fade }) {
  if (!from) return clip.bounds;
  return clip.bounds.map((end, k) => plus(from.clip.bounds[k], plus(end, from.clip.bounds[k], -1), Math.min(fade, 1)));
}

// Reproducible random numbers in [0, 1) (mulberry32, public domain).
function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Instances in rows around the origin, each a little different, as scattered() in _crowd/instances.py. A single one is at
// the origin, unchanged.
function crowdOf(count, [low, high]) {
  if (count === 1) return [{ position: [0, 0, 0], angle: 0, scale: 1, tint: [1, 1, 1], phase: 0 }];
  const random = randomNumbers(count);
  const within = (a, b) => a + (b - a) * random();
  const width = Math.max(high[0] - low[0], high[2] - low[2]);
  const columns = Math.max(1, Math.round(Math.sqrt(count * 1.7)));
  const lastRow = Math.floor((count - 1) / columns);
  return Array.from({ length: count }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const x = column - (columns - 1) / 2 + 0.5 * (row % 2) - 0.25 + within(-0.16, 0.16);
    const z = (row - lastRow / 2) * -0.9 + within(-0.16, 0.16);
    const light = within(0.72, 1);
    return {
      position: [x * width, 0, z * width],
      angle: within(-0.6, 0.6),
      scale: within(0.93, 1.07),
      tint: [0, 1, 2].map(() => light * within(0.88, 1)),
      phase: random(),
    };
  });
}

// The instances as crowd.glsl reads them, four texels each.
function instanceTexels(crowd, clock, clips) {
  const { clip, from, fade } = clock;
  const texels = new Float32Array(16 * crowd.length);
  const frameAt = (playing, time, phase) =>
    crowd.length === 1 ? frameOf(playing, time) : frameOf(playing, time + phase * playing.duration, true);
  crowd.forEach(({ position, angle, scale, phase }, i) => {
    const rotation = [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
    const next = clip ? frameAt(clip, clock.time, phase) : 0;
    const now = from ? frameAt(from.clip, from.time, phase) : next;
    const index = clips.indexOf(clip);
    const before = from ? clips.indexOf(from.clip) : index;
    texels.set([now, next, from ? fade : 0, scale, before, index, 0, 0, ...position, 0, ...rotation], 16 * i);
  });
  return texels;
}

// The corners of all instances' boxes in world space.
const crowdCorners = (crowd, box) =>
  crowd.flatMap(({ position, angle, scale }) =>
    cornersOf(box).map(([x, y, z]) => {
      const [c, s] = [scale * Math.cos(angle), scale * Math.sin(angle)];
      return plus(position, [c * x + s * z, scale * y, c * z - s * x]);
    }),
  );
