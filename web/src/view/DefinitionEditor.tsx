/** The definition of a view, as a form or as JSON. */
import type { Signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { Editor } from '../component/Editor'
import { Tabs } from '../component/Tabs'
import { AliasForm } from './AliasForm'
import type { Kind } from './definition'
import { LinksForm } from './LinksForm'

const MODES = ['Form', 'JSON'] as const

export function DefinitionEditor({ kind, text, isReadOnly = false }: { kind: Kind; text: Signal<string>; isReadOnly?: boolean }) {
  const [mode, setMode] = useState<(typeof MODES)[number]>(isReadOnly ? 'JSON' : 'Form')
  return (
    <>
      {!isReadOnly && <Tabs label="Form or JSON" names={MODES} chosen={mode} onChoose={setMode} />}
      {mode === 'JSON' ? <Editor language="json" label="Definition of the view" text={text} isReadOnly={isReadOnly} /> : kind === 'arangosearch' ? <LinksForm text={text} /> : <AliasForm text={text} />}
    </>
  )
}
