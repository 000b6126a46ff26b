/** A text editor with colours, completion and marked errors. */
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap, type CompletionSource } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, indentOnInput } from '@codemirror/language'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import { searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from '@codemirror/view'
import { effect, type Signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { aql, colours } from '../query/aql'

interface Properties {
  /** The text. Both the editor and its owner may change it. */
  text: Signal<string>
  language: 'aql' | 'json'
  /** The name of the editor for screen readers. */
  label: string
  errors?: Diagnostic[]
  complete?: CompletionSource
  onRun?: () => void
  onFormat?: () => void
  isReadOnly?: boolean
  hint?: string
}

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', backgroundColor: 'var(--surface)', color: 'var(--text)' },
  // A frame over the numbers of lines, which would cover an outline.
  '&.cm-focused': { outline: 'none' },
  '&.cm-focused::after': { content: '""', position: 'absolute', inset: '0', border: '2px solid var(--focus)', pointerEvents: 'none', zIndex: '300' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--selection) !important' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px', overflow: 'hidden' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px !important', fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent) !important', color: 'var(--on-accent) !important' },
  '.cm-completionDetail': { fontStyle: 'normal !important', opacity: '0.75' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)' },
})

export function Editor(properties: Properties) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | undefined>(undefined)
  const latest = useRef(properties)
  latest.current = properties
  const writable = useRef(new Compartment())

  // Before the page is painted, so that its first picture can be used.
  useLayoutEffect(() => {
    if (!host.current) return
    // In a shadow root the editor's styles are style sheets of scripts, which the policy of the
    // page allows; `<style>` elements it does not.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true })
    const parent = document.createElement('div')
    parent.style.height = '100%'
    root.replaceChildren(parent)
    const state = EditorState.create({ doc: latest.current.text.peek(), extensions: extensions(latest, writable.current) })
    view.current = new EditorView({ state, parent, root })
    const stop = effect(() => show(view.current, properties.text.value))
    return () => {
      stop()
      view.current?.destroy()
    }
  }, [properties.text])

  useEffect(() => {
    const current = view.current
    if (!current) return
    const end = current.state.doc.length
    const errors = (properties.errors ?? []).map((error) => ({ ...error, from: Math.min(error.from, end), to: Math.min(error.to, end) }))
    current.dispatch(setDiagnostics(current.state, errors))
  }, [properties.errors])

  useEffect(() => {
    view.current?.dispatch({ effects: writable.current.reconfigure(EditorState.readOnly.of(properties.isReadOnly ?? false)) })
  }, [properties.isReadOnly])

  return <div class="editor" ref={host} />
}

/** Puts a text into the editor if it is another. */
function show(view: EditorView | undefined, text: string) {
  if (!view || view.state.doc.toString() === text) return
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}

function extensions(latest: { current: Properties }, writable: Compartment): Extension[] {
  const { language, label, complete, hint, isReadOnly } = latest.current
  const run = (editor: EditorView) => {
    closeCompletion(editor)
    latest.current.onRun?.()
    return latest.current.onRun !== undefined
  }
  const format = () => {
    latest.current.onFormat?.()
    return latest.current.onFormat !== undefined
  }
  return [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    language === 'aql' ? aql : json(),
    colours,
    theme,
    complete ? autocompletion({ override: [complete], icons: false }) : [],
    placeholder(hint ?? ''),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    writable.of(EditorState.readOnly.of(isReadOnly ?? false)),
    keymap.of([
      { key: 'Mod-Enter', run },
      { key: 'Shift-Alt-f', run: format },
      // Escape gives the Tab key back to the page.
      { key: 'Escape', run: (editor) => (editor.contentDOM.blur(), true) },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) latest.current.text.value = update.state.doc.toString()
    }),
  ]
}
