# SPDX-License-Identifier: MIT
"""A crowd in a window: `pip install "lissom[gl]" moderngl-window`, then `python window.py`.

Drag to turn, scroll to come nearer. The scene behind the crowd is drawn by moderngl, as anybody would.
"""

import dataclasses

import moderngl
import moderngl_window
import numpy as np

import lissom

SAND = 0.45, 0.36, 0.26  # linear light
SKY = """
out vec3 color;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  color = mix(vec3(0.93, 0.86, 0.76), vec3(0.36, 0.52, 0.72), corner.y);
  gl_Position = vec4(2.0 * corner - 1.0, 0.9999, 1.0);
}
"""
PAINT = """
in vec3 color;
out vec4 pixel;
void main() { pixel = vec4(color, 1.0); }
"""


class Window(moderngl_window.WindowConfig):
    """A crowd that walks, before a sky."""

    title = "lissom"
    window_size = (960, 540)
    gl_version = (3, 3)
    aspect_ratio = None
    vsync = True

    def __init__(self, **options):
        super().__init__(**options)
        bake = lissom.bake(lissom.samples.humanoid(), ["idle", "walk"], rate=30)
        self.stage = lissom.gpu.Stage(context=self.ctx, background=SAND)
        instances = lissom.gpu.scattered(bake, 40, seed=7)
        self.crowd = lissom.gpu.Crowd(bake, 40, instances=instances, stage=self.stage)
        self.camera = self.stage.camera(self.crowd, elevation=12)
        program = lissom.gpu.program(self.ctx, SKY, PAINT)
        self.sky = self.ctx.vertex_array(program, [])

    def on_render(self, time, frame_time):
        self.ctx.clear()
        self.ctx.enable_only(moderngl.NOTHING)
        self.sky.render(moderngl.TRIANGLE_STRIP, vertices=4)
        self.crowd.update(frame_time)
        self.stage.draw(self.crowd, camera=self.camera, ground=True)  # into the window, over what is there

    def on_mouse_drag_event(self, x, y, dx, dy):
        self.camera = dataclasses.replace(
            self.camera,
            azimuth=self.camera.azimuth - 0.4 * dx,
            elevation=float(np.clip(self.camera.elevation + 0.4 * dy, 2, 80)),
        )

    def on_mouse_scroll_event(self, x, y):
        self.camera = dataclasses.replace(self.camera, distance=self.camera.distance * 0.9**y)


if __name__ == "__main__":
    moderngl_window.run_window_config(Window)
