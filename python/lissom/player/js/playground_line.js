// SPDX-License-Identifier: MIT
// A line to a kernel on this machine, which Jupyter's server, its status messages and what JupyterLab draws for them do
// not delay. hear(content, buffers) is called for each answer, lose() where a line that was open has ended.
const makeLine = (address, hear, lose) => {
  let socket = null;
  // Whether an answer has come since something was sent; without, the kernel is busy, and the line is not relied on.
  let isHeard = true;
  try {
    socket = new WebSocket(address);
  } catch {
    return null; // where the page's policy forbids it
  }
  socket.binaryType = "arraybuffer";
  socket.onopen = () => (socket.onclose = lose);
  socket.onmessage = ({ data }) => {
    isHeard = true;
    const start = 4 + new DataView(data).getUint32(0, true);
    const { sizes, ...content } = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, start - 4)));
    let at = start;
    hear(content, sizes.map((size) => new DataView(data, (at += size) - size, size)));
  };
  const isOpen = () => socket.readyState === WebSocket.OPEN && isHeard;
  return {
    isOpen,
    // Returns whether the request is on its way.
    send(request) {
      if (!isOpen()) return false;
      isHeard = false;
      socket.send(JSON.stringify(request));
      return true;
    },
    close() {
      socket.onclose = null;
      socket.close();
    },
  };
};
