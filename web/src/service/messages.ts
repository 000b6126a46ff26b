/** The messages of a service among the entries of the server's log. */
import type { Line } from '../log/lines'

/** The topic of messages from services. */
const TOPIC = 'v8'

/** Returns the beginning of a service's entries. No mount point has a colon. */
export const beginning = (mount: string) => `${mount}: `

/**
 * Returns the messages of a service that contain a text in any case, without mount point and database.
 *
 * Entries have no field for the database: the server writes it at the end of their text. No name of
 * a database has a colon, so a message cannot pass for one of another database. An entry that the
 * server has cut at `--log.max-entry-length` has lost its database, and is left out.
 */
export function messagesOf(lines: Line[], mount: string, database: string, text: string): Line[] {
  const [begin, end] = [beginning(mount), `, database: ${database}`]
  const wanted = text.toLowerCase()
  return lines
    .filter(({ topic, message }) => topic === TOPIC && message.startsWith(begin) && message.endsWith(end))
    .map((line) => ({ ...line, message: line.message.slice(begin.length, -end.length) }))
    .filter(({ message }) => message.toLowerCase().includes(wanted))
}
