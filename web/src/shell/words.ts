/** Texts of the shell. */
/** Returns the reason why the server runs no programs of the user, by the status of its reply to an empty one. */
export function refusal(status: number): string {
  if (status >= 200 && status < 300) return ''
  if (status === 404) return 'This server runs no JavaScript of its users: it was started without --javascript.allow-admin-execute. The program `persea shell` is a shell beside the server.'
  if (status === 401 || status === 403) return 'Only users who may write the database may run JavaScript in the server.'
  return `The server refuses programs with status ${status}.`
}

/** Returns the text of a result without the spaces that end its lines. */
export function trimmed(text: string): string {
  return text.replaceAll(/ +$/gm, '')
}
