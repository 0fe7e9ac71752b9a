/** Small drawings for buttons; what they mean is said by the button's label. */
const PATHS: Record<string, string> = {
  check: 'M4 10.5l4 4 8-9',
  close: 'M5 5l10 10M15 5L5 15',
  search: 'M9 3a6 6 0 1 0 0 12A6 6 0 0 0 9 3zM13.5 13.5L18 18',
  left: 'M12.5 4l-6 6 6 6',
  right: 'M7.5 4l6 6-6 6',
  tag: 'M3 3h6l8 8-6 6-8-8zM6.5 6.5h.01',
  grid: 'M3 4h8v5H3zM13 4h4v5h-4zM3 11h4v5H3zM9 11h8v5H9z',
  list: 'M3 5h14M3 10h14M3 15h14',
  filter: 'M3 5h14M6 10h8M8.5 15h3',
  sun: 'M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6L5 5M15 15l1.4 1.4M16.4 3.6L15 5M5 15l-1.4 1.4',
  moon: 'M16.5 12.5A7 7 0 0 1 7.5 3.5a7 7 0 1 0 9 9z',
  open: 'M8 4H4v12h12v-4M11 3h6v6M17 3l-8 8',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  why: 'M7 7.5a3 3 0 1 1 4.2 2.7c-.8.4-1.2 1-1.2 1.8v.5M10 15.5h.01',
  like: 'M3 3h8v8H3zM9 9h8v8H9z',
  home: 'M3 10l7-6 7 6M5 8.5V17h10V8.5',
  pin: 'M10 18s6-6 6-10a6 6 0 0 0-12 0c0 4 6 10 6 10zM10 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  more: 'M4 10h.01M10 10h.01M16 10h.01',
  picture: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M13.5 7.5h.01',
  info: 'M10 9v6M10 5.5h.01',
};

export function Icon({ name }: { name: keyof typeof PATHS }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
