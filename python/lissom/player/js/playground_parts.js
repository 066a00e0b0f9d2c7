// SPDX-License-Identifier: MIT
// Parts of the playground's front end: elements, arrays, the plot of residuals, the table of limits, the recorder.

const playgroundElement = (tag, className, text) => {
  const element = document.createElement(tag);
  element.className = className && `lissom-playground-${className}`;
  if (text !== undefined) element.textContent = text;
  return element;
};

// An element within a label of its own.
const playgroundField = (name, element) => {
  const label = playgroundElement("label", "");
  label.append(...(element.type === "checkbox" ? [element, name] : [name, element]));
  return label;
};

const playgroundFloats = (view) =>
  new Float32Array(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));

const playgroundJoined = (first, second) => {
  const result = new Float32Array(first.length + second.length);
  result.set(first);
  result.set(second, first.length);
  return result;
};

// Corners of shapes, rows of x, y, z, opacity and number of the shape, as rows of x, y, z in model space, r, g, b and opacity.
// `places` has a row for each shape: its matrix (3, 4), r, g, b.
const playgroundPlaced = (corners, places) => {
  const result = new Float32Array((corners.length / 5) * 7);
  for (let i = 0, to = 0; i < corners.length; i += 5, to += 7) {
    const at = 15 * corners[i + 4];
    for (let k = 0; k < 3; k++) {
      const row = at + 4 * k;
      result[to + k] =
        places[row] * corners[i] + places[row + 1] * corners[i + 1] + places[row + 2] * corners[i + 2] + places[row + 3];
      result[to + 3 + k] = places[at + 12 + k];
    }
    result[to + 6] = corners[i + 3];
  }
  return result;
};

// Seconds that the plot of residuals shows, its size in CSS pixels, and the exponents of ten at its lower edge.
const PLOT_SECONDS = 10;
const PLOT = [300, 72];
const LEAST_EXPONENT = -6;

// Residuals as fractions of the chains' lengths, on a logarithmic axis, with a line at the tolerance.
const makeResiduals = () => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  node.setAttribute("class", "lissom-playground-plot");
  node.setAttribute("viewBox", `0 0 ${PLOT[0]} ${PLOT[1]}`);
  node.setAttribute("role", "img");
  const say = (text) => node.setAttribute("aria-label", text);
  say("Residuals over time");
  const part = (tag, attributes, text = "") => {
    const element = document.createElementNS(node.namespaceURI, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };
  const heightOf = (share) => {
    const exponent = Math.max(Math.log10(Math.max(share, 1e-30)), LEAST_EXPONENT);
    return PLOT[1] - 3 - (PLOT[1] - 18) * (1 - Math.min(exponent, 0) / LEAST_EXPONENT);
  };
  const percent = (share) => `${Number((100 * share).toPrecision(2))} %`;
  let [rows, names, colors, tolerance] = [[], [], [], 1e-4];
  const draw = () => {
    const now = rows.at(-1)[0];
    // The row before the first that is shown begins the lines.
    const first = Math.max(0, rows.findIndex(([seconds]) => seconds >= now - PLOT_SECONDS) - 1);
    rows = rows.slice(first);
    const x = (seconds) => PLOT[0] * (1 + (seconds - now) / PLOT_SECONDS);
    const y = heightOf(tolerance);
    node.replaceChildren(
      part("line", { x1: 0, x2: PLOT[0], y1: y, y2: y, class: "lissom-playground-tolerance" }),
      part("text", { x: 2, y: y - 3 }, `tolerance ${percent(tolerance)}`),
      part("text", { x: 2, y: 10 }, `residual, last ${PLOT_SECONDS} s`),
      ...names.map((_, i) => part("polyline", {
        points: rows.map((row) => `${x(row[0]).toFixed(1)},${heightOf(row[i + 1]).toFixed(1)}`).join(" "),
        style: `stroke:rgb(${colors[i].map((c) => Math.round(255 * c))})`,
      })),
    );
    say(`Residuals of the last ${PLOT_SECONDS} s as fractions of the chains: ${names.map((name, i) =>
      `${name} ${percent(rows.at(-1)[i + 1])}, most ${percent(Math.max(...rows.map((row) => row[i + 1])))}`).join("; ")}`);
  };
  return {
    node,
    add({ effectors, colors: given, tolerance: bound, past, residuals }) {
      if (effectors) [names, colors, tolerance, rows] = [effectors, given, bound, past];
      else if (residuals[0][0] !== rows.at(-1)?.[0]) rows.push(...residuals);
      if (rows.length) draw();
    },
  };
};

// Each joint with the kind of its limit and its bounds in degrees. choose(joint, kind), bound(joint, name, degrees or null).
const makeLimits = (choose, bound) => {
  const node = playgroundElement("table", "limits");
  let shown = null, kindNames = [];
  const inputs = new Map();
  const rebuild = (rows) => {
    inputs.clear();
    node.replaceChildren(...rows.map(([joint, name, kind, bounds]) => {
      const row = playgroundElement("tr", "");
      const kinds = playgroundElement("select", "");
      for (const value of ["", ...kindNames]) kinds.add(new Option(value || "none", value, false, value === kind));
      kinds.setAttribute("aria-label", `Limit of ${name}`);
      kinds.onchange = () => choose(joint, kinds.value);
      const cells = playgroundElement("td", "");
      for (const [part, label] of bounds) {
        const input = playgroundElement("input", "");
        Object.assign(input, { type: "number", step: 1, placeholder: "free" });
        input.setAttribute("aria-label", `${name}, ${label}, degrees`);
        input.oninput = () => { input.dataset.changes = "true"; };
        input.onchange = () => {
          delete input.dataset.changes;
          bound(joint, part, input.value === "" ? null : Number(input.value));
        };
        inputs.set(`${joint}:${part}`, input);
        cells.append(playgroundField(`${label} `, input));
      }
      const head = playgroundElement("th", "", name);
      const second = playgroundElement("td", "");
      second.append(kinds);
      row.append(head, second, cells);
      return row;
    }));
  };
  return {
    node,
    // Rows [joint, name, kind, [[part, label, degrees or null]]]; null hides the table. Fields that are written in stay.
    // The first frame of a view names the kinds there are.
    show({ limits: rows, kinds }) {
      kindNames = kinds ?? kindNames;
      node.hidden = !rows;
      if (!rows) return;
      const now = JSON.stringify(rows.map(([joint, , kind]) => [joint, kind]));
      if (now !== shown) rebuild(rows);
      shown = now;
      for (const [joint, , , bounds] of rows)
        for (const [part, , degrees] of bounds) {
          const input = inputs.get(`${joint}:${part}`);
          if (!input.dataset.changes) input.value = degrees === null ? "" : Number(degrees.toFixed(2));
        }
    },
  };
};

// Buttons to record, and a slider over what was recorded. ask(kind, content).
const makeRecorder = (ask) => {
  const node = playgroundElement("span", "recorder");
  const record = playgroundElement("button", "record", "Record");
  const play = playgroundElement("button", "play", "Play");
  const slider = playgroundElement("input", "moment");
  const words = playgroundElement("output", "");
  Object.assign(slider, { type: "range", min: 0, step: 0.01, value: 0 });
  slider.setAttribute("aria-label", "Moment of the recording");
  node.append(record, play, slider, words);
  let [isOn, duration, request] = [false, null, 0];
  const say = () => {
    const text = `${Number(slider.value).toFixed(2)} of ${duration.toFixed(2)} s`;
    words.value = text;
    slider.setAttribute("aria-valuetext", text);
  };
  const seek = (seconds) => {
    slider.value = seconds;
    say();
    ask("seek", { seconds });
  };
  const rest = () => {
    cancelAnimationFrame(request);
    request = 0;
    play.textContent = "Play";
  };
  record.onclick = () => { rest(); ask(isOn ? "stop" : "record", {}); };
  slider.oninput = () => { rest(); seek(Number(slider.value)); };
  play.onclick = () => {
    if (request) return rest();
    const from = Number(slider.value) < duration ? Number(slider.value) : 0;
    let since = null;
    play.textContent = "Pause";
    const tick = (now) => {
      since ??= now;
      const seconds = Math.min(from + (now - since) / 1000, duration);
      seek(seconds);
      if (seconds < duration) request = requestAnimationFrame(tick);
      else rest();
    };
    request = requestAnimationFrame(tick);
  };
  return {
    node,
    rest,
    // {on, seconds} of the kernel, or null where nothing was recorded.
    show(recording) {
      const wasOn = isOn;
      isOn = !!recording?.on;
      record.textContent = isOn ? "Stop" : "Record";
      record.setAttribute("aria-pressed", isOn);
      play.hidden = slider.hidden = words.hidden = !recording || isOn;
      if (play.hidden) return;
      duration = recording.seconds;
      slider.max = duration;
      if (wasOn) slider.value = duration;
      say();
    },
  };
};
