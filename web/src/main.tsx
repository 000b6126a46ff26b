import { render } from 'preact'
import { App, preload } from './App'
import { begin, keepAlive } from './lib/session'
import './style/base.css'
import './style/controls.css'
import './style/layout.css'
import './style/query.css'
import './style/table.css'

void begin()
preload()
keepAlive()
render(<App />, document.getElementById('app') as HTMLElement)
