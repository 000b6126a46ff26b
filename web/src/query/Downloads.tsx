/** A menu that saves all rows of a result as a file. */
import { useState } from 'preact/hooks'
import { Menu } from '../component/Menu'
import { messageOf } from '../lib/api'
import { number } from '../lib/format'
import type { Cursor } from './cursor'
import { download, FORMATS, type FileFormat } from './download'

export function Downloads({ cursor, name }: { cursor: Cursor; name: string }) {
  const [note, setNote] = useState('')
  const act = async (format: FileFormat) => {
    try {
      await download(cursor, format, name, (rows) => setNote(`${number(rows)} rows`))
      setNote('')
    } catch (thrown) {
      setNote(messageOf(thrown))
    }
  }
  const names = Object.keys(FORMATS) as FileFormat[]
  return <Menu title={note || 'Download'} actions={Object.fromEntries(names.map((format) => [format, () => void act(format)]))} />
}
