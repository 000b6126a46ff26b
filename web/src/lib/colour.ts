/** Colours of the style sheet, for canvases, which do not know its variables. */

/** Returns the colour that a variable has in an element. */
export function colourOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${variable})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
