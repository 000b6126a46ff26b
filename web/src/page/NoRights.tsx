/** The page of a user who has no right on any database. */
import { PageHead } from '../component/PageHead'
import { loadDatabases, user } from '../lib/session'

export function NoRights() {
  return (
    <div class="page">
      <PageHead title="No rights yet" />
      <div class="card card-body">
        <p>
          You are signed in as <b>{user.value}</b>. An administrator of the server has to grant you a right on a database first.
        </p>
        <div class="side-row">
          <button type="button" class="button" onClick={() => void loadDatabases().catch(() => {})}>
            Look again
          </button>
        </div>
      </div>
    </div>
  )
}
