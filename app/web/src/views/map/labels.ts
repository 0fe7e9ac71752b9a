/** Which names can stand on the map without covering each other; larger groups go first. */
export interface Label {
  left: number;
  top: number;
  text: string;
  weight: number;
}

const LETTER = 7.4;
const WIDEST = 180;

function boxOf(label: Label): { left: number; right: number; top: number; bottom: number } {
  const wide = label.text.length * LETTER + 12;
  const lines = Math.ceil(wide / WIDEST);
  const half = Math.min(wide, WIDEST) / 2;
  return { left: label.left - half, right: label.left + half, top: label.top - 11 * lines, bottom: label.top + 11 * lines };
}

export function fitting(labels: Label[]): number[] {
  const order = labels.map((_, index) => index).sort((a, b) => labels[b]!.weight - labels[a]!.weight || a - b);
  const taken: ReturnType<typeof boxOf>[] = [];
  return order.filter((index) => {
    const box = boxOf(labels[index]!);
    const covers = taken.some((other) =>
      box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom);
    if (!covers) taken.push(box);
    return !covers;
  });
}
