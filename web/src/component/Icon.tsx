/** The icons of the bar, drawn on 16 by 16. */
const PATHS = {
  queries: 'M2 4l4 4-4 4M8 12h6',
  collections: 'M2 4c0-1.100 2.700-2 6-2s6 .9 6 2v8c0 1.100-2.700 2-6 2s-6-.9-6-2zM2 4c0 1.100 2.700 2 6 2s6-.9 6-2M2 8c0 1.100 2.700 2 6 2s6-.9 6-2',
  graphs: 'M4 5.500a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM12 7.500a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM5 13.500a1.500 1.500 0 100-3 1.500 1.500 0 000 3zM5.500 4.300l5 1.400M4.200 5.600l.6 4.800M6 11l5-4',
  dashboard: 'M2 14V2M2 14h12M5 11V8M8 11V4M11 11V6.500',
  activity: 'M1 8h3l2-5 4 10 2-5h3',
  databases: 'M2 2.500h12v4H2zM2 9.500h12v4H2zM4.500 4.500h.1M4.500 11.500h.1M7 4.500h4.500M7 11.500h4.500',
  views: 'M7 12a5 5 0 100-10 5 5 0 000 10zM10.600 10.600L14.500 14.500M5 7h4',
  analyzers: 'M2 3.500h12M2 8h6M2 12.500h4M10.500 12.500a2 2 0 100-4 2 2 0 000 4zM12 12l2.500 2.500',
  users: 'M6 7.500a2.500 2.500 0 100-5 2.500 2.500 0 000 5zM1.500 14c0-2.500 2-4.500 4.500-4.500s4.500 2 4.500 4.500M11 7a2 2 0 000-4M12 9.700c1.500.6 2.500 2.200 2.500 4.300',
  logs: 'M3 2h10v12H3zM5.500 5.500h5M5.500 8h5M5.500 10.500h3',
  shell: 'M1.500 3h13v10h-13zM4 6l2 2-2 2M8 10h3.500',
  system: 'M8 2a6 6 0 100 12A6 6 0 008 2zM8 2v12M10.500 3v10M13 5v6',
  light: 'M8 11a3 3 0 100-6 3 3 0 000 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  dark: 'M13.500 9.500A6 6 0 016.500 2.500a6 6 0 107 7z',
  leave: 'M9 2H3v12h6M6.500 8H15M12 5l3 3-3 3',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  )
}
