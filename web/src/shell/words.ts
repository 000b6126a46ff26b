/** Texts of the shell. */
/** Returns the reason why the server runs no programs of the user, by the status of its reply to an empty one. */
export function refusal(status: number): string {
  if (status >= 200 && status < 300) return ''
  if (status === 404) return 'This server does not run JavaScript for its users, because it was started without --javascript.allow-admin-execute. Use the program `persea shell` instead.'
  if (status === 401 || status === 403) return 'Running JavaScript in the server requires write access to the database.'
  return `The server rejected the program with status ${status}.`
}

/** Returns the text of a result without the spaces that end its lines. */
export function trimmed(text: string): string {
  return text.replaceAll(/ +$/gm, '')
}
