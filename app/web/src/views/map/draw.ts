import { scaleOf, toScreen, type Camera, type Size } from './window';

export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#999999'];

export interface Points {
  x: number[];
  y: number[];
  kind: number[];
}

export interface Scene {
  camera: Camera;
  size: Size;
  hidden: Set<number>;
  /** Marked by the lasso, or undefined where nothing is: then all are drawn alike. */
  marked?: Set<number>;
}

export interface Painter {
  draw: (scene: Scene) => void;
  free: () => void;
  name: string;
}

export const colourOf = (kind: number) => COLOURS[kind % COLOURS.length]!;

function parts(colour: string): [number, number, number] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255) as [number, number, number];
}

/** Points grow a little as one comes nearer. */
const radiusOf = (camera: Camera) => Math.min(8, 2.6 + 0.9 * Math.log2(Math.max(1, camera.zoom)));

const VERTEX = `
attribute vec2 place;
attribute vec3 colour;
attribute float state;
uniform vec2 middle;
uniform vec2 scale;
uniform float size;
varying vec4 shade;
void main() {
  vec2 at = (place - middle) * scale;
  gl_Position = state < 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(at.x, -at.y, 0.0, 1.0);
  gl_PointSize = size * (state > 1.5 ? 1.5 : 1.0);
  shade = vec4(colour, state < 0.5 ? 0.18 : 0.82);
}`;

const FRAGMENT = `
precision mediump float;
varying vec4 shade;
void main() {
  float far = length(gl_PointCoord - 0.5) * 2.0;
  float cover = 1.0 - smoothstep(0.8, 1.0, far);
  float full = shade.a * cover;
  gl_FragColor = vec4(shade.rgb * full, full);
}`;

function program(gl: WebGLRenderingContext): WebGLProgram | undefined {
  const made = gl.createProgram();
  if (!made) return undefined;
  for (const [type, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(type);
    if (!shader) return undefined;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) return undefined;
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) ? made : undefined;
}

/** Hidden -1, faint 0, plain 1, marked 2. */
function states(points: Points, scene: Scene): Float32Array {
  const result = new Float32Array(points.x.length);
  for (let i = 0; i < result.length; ++i) {
    if (scene.hidden.has(points.kind[i]!)) result[i] = -1;
    else if (scene.marked) result[i] = scene.marked.has(i) ? 2 : 0;
    else result[i] = 1;
  }
  return result;
}

function webglPainter(canvas: HTMLCanvasElement, points: Points): Painter | undefined {
  const gl = canvas.getContext('webgl', { antialias: false });
  const made = gl && program(gl);
  if (!gl || !made) return undefined;
  gl.useProgram(made);
  const buffers: (WebGLBuffer | null)[] = [];
  const buffer = (name: string, data: Float32Array, width: number, usage: number) => {
    const created = gl.createBuffer();
    buffers.push(created);
    gl.bindBuffer(gl.ARRAY_BUFFER, created);
    gl.bufferData(gl.ARRAY_BUFFER, data, usage);
    const at = gl.getAttribLocation(made, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, width, gl.FLOAT, false, 0, 0);
    return created;
  };
  const n = points.x.length;
  const places = new Float32Array(2 * n);
  const colours = new Float32Array(3 * n);
  for (let i = 0; i < n; ++i) {
    places.set([points.x[i]!, points.y[i]!], 2 * i);
    colours.set(parts(colourOf(points.kind[i]!)), 3 * i);
  }
  buffer('place', places, 2, gl.STATIC_DRAW);
  buffer('colour', colours, 3, gl.STATIC_DRAW);
  const state = buffer('state', new Float32Array(n), 1, gl.DYNAMIC_DRAW);
  const uniform = (name: string) => gl.getUniformLocation(made, name);
  const [middle, scale, size] = [uniform('middle'), uniform('scale'), uniform('size')];
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  let seen: { hidden: Set<number>; marked?: Set<number> } | undefined;
  return {
    name: 'webgl',
    draw: (scene) => {
      if (seen?.hidden !== scene.hidden || seen.marked !== scene.marked) {
        gl.bindBuffer(gl.ARRAY_BUFFER, state);
        gl.bufferData(gl.ARRAY_BUFFER, states(points, scene), gl.DYNAMIC_DRAW);
        seen = scene;
      }
      const pixels = scaleOf(scene.camera, scene.size);
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform2f(middle, scene.camera.x, scene.camera.y);
      gl.uniform2f(scale, (2 * pixels) / scene.size.width, (2 * pixels) / scene.size.height);
      gl.uniform1f(size, 2 * radiusOf(scene.camera) * (canvas.width / scene.size.width));
      gl.drawArrays(gl.POINTS, 0, n);
    },
    free: () => {
      for (const each of buffers) gl.deleteBuffer(each);
      gl.deleteProgram(made);
    },
  };
}

function plainPainter(canvas: HTMLCanvasElement, points: Points): Painter {
  const context = canvas.getContext('2d');
  return {
    name: 'canvas',
    draw: (scene) => {
      if (!context) return;
      const ratio = canvas.width / scene.size.width;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, scene.size.width, scene.size.height);
      const radius = radiusOf(scene.camera);
      const state = states(points, scene);
      for (let i = 0; i < state.length; ++i) {
        if (state[i]! < 0) continue;
        const [x, y] = toScreen(scene.camera, scene.size, points.x[i]!, points.y[i]!);
        if (x < -9 || y < -9 || x > scene.size.width + 9 || y > scene.size.height + 9) continue;
        context.globalAlpha = state[i]! < 0.5 ? 0.18 : 0.82;
        context.fillStyle = colourOf(points.kind[i]!);
        context.beginPath();
        context.arc(x, y, state[i]! > 1.5 ? 1.5 * radius : radius, 0, 7);
        context.fill();
      }
    },
    free: () => undefined,
  };
}

/** Gives back what the browser holds for a canvas that will not be drawn on again; browsers have few to give. */
export function release(canvas: HTMLCanvasElement): void {
  canvas.getContext('webgl')?.getExtension('WEBGL_lose_context')?.loseContext();
}

/** By WebGL where there is one, otherwise by the plain canvas. */
export function painterFor(canvas: HTMLCanvasElement, points: Points): Painter {
  return webglPainter(canvas, points) ?? plainPainter(canvas, points);
}
