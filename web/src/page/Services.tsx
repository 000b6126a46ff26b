/** The services of the database. */
import { useState } from 'preact/hooks'
import { ListPage } from '../component/ListPage'
import { MissingRight } from '../component/Message'
import type { Column } from '../component/Table'
import { database, go, link } from '../lib/address'
import { useLoaded } from '../lib/load'
import { ask, mayChangeDatabase } from '../lib/session'
import { InstallDialog } from '../service/InstallDialog'
import type { Service } from '../service/state'
import '../style/service.css'

const load = (signal: AbortSignal) => ask<Service[]>({ method: 'GET', path: '/_api/foxx?excludeSystem=true' }, { signal })

const modeOf = ({ development, legacy }: Service) => (development ? 'development' : legacy ? 'legacy' : 'production')

const COLUMNS: Column<Service>[] = [
  { title: 'Mount point', cell: (one) => <a href={link(['service', one.mount])}>{one.mount}</a>, sort: (one) => one.mount },
  { title: 'Name', cell: (one) => one.name ?? '', sort: (one) => one.name ?? '' },
  { title: 'Version', width: 140, cell: (one) => one.version ?? '', sort: (one) => one.version ?? '' },
  { title: 'Mode', width: 140, cell: (one) => <span class="chip">{modeOf(one)}</span>, sort: modeOf },
]

export function Services() {
  const { value, error, reload } = useLoaded(load, [database.value])
  const [dropped, setDropped] = useState<File>()
  const mayInstall = mayChangeDatabase.value
  const drop = (event: DragEvent) => {
    event.preventDefault()
    const file = event.dataTransfer?.files[0]
    if (mayInstall && file) setDropped(file)
  }
  const done = (mount: string) => go(['service', mount])
  return (
    <div class="drop-area" onDragOver={(event) => event.preventDefault()} onDrop={drop}>
      <ListPage
        title="Services"
        rows={value}
        error={error}
        onReload={reload}
        columns={COLUMNS}
        empty="There are no services. Drop a ZIP archive or a JavaScript file here to install one."
        onOpen={(one) => go(['service', one.mount])}
        create={mayInstall ? { title: 'Install service', dialog: (close) => <InstallDialog kind="install" onClose={close} onDone={done} /> } : undefined}
        above={!mayInstall && <MissingRight right={`only users with write access to the database ${database.value} manage its services`} />}
      >
        {dropped && <InstallDialog kind="install" file={dropped} onClose={() => setDropped(undefined)} onDone={done} />}
      </ListPage>
    </div>
  )
}
