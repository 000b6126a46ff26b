/// <reference types="vitest/config" />
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'

type Bundle = Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>

// In development the pages come from Vite, and the API from a server at this address.
const server = process.env.PERSEA ?? 'http://127.0.0.1:8529'

/** Returns the scripts of the first page, which is that of queries. */
function firstScripts(bundle: Bundle): Set<string> {
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
  const files = new Set<string>()
  const add = (name: string) => {
    if (files.has(name)) return
    files.add(name)
    chunks.find((one) => one.fileName === name)?.imports.forEach(add)
  }
  const isFirst = (one: (typeof chunks)[number]) => one.isEntry || one.facadeModuleId?.endsWith('src/page/Queries.tsx')
  for (const chunk of chunks.filter(isFirst)) add(chunk.fileName)
  return files
}

/** Has the first page ready when the server has told if it wants a user. */
const firstPage: Plugin = {
  name: 'first-page',
  // The browser asks for all files at once.
  transformIndexHtml(html, { bundle = {} }) {
    const isNew = (file: string) => !html.includes(file)
    const tag = (file: string): HtmlTagDescriptor => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `./${file}` }, injectTo: 'head' })
    return [...firstScripts(bundle)].filter(isNew).map(tag)
  },
  // Chromium compiles the functions beside the download, not one by one when they are called, which
  // takes a third of the page's own time. Other browsers see a comment.
  generateBundle(_, bundle) {
    const first = firstScripts(bundle)
    for (const one of Object.values(bundle)) if (one.type === 'chunk' && first.has(one.fileName)) one.code = `//# allFunctionsCalledOnLoad\n${one.code}`
  },
}

export default defineConfig({
  plugins: [firstPage],
  // The server has the same pages below every database, so all addresses are relative.
  base: './',
  build: {
    target: 'es2022',
    // Tells which files the first page needs.
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
    rolldownOptions: {
      checks: { pluginTimings: false },
      // What all pages share is one file: each further file is a further request.
      output: { codeSplitting: { groups: [{ name: 'base', test: /node_modules\/@?preact|src\/lib\/|src\/component\/(?!Editor|DefinitionField)|src\/query\/(cursor|download|Downloads|order|stop)/ }] } },
    },
  },
  server: { proxy: { '^(/_db/[^/]+)?/_(api|open|admin/(?!aardvark))': server } },
  // The tests share no state, so one worker serves all files: starting one a file takes longer than the tests.
  test: { include: ['src/**/*.test.ts'], isolate: false, maxWorkers: 1, testTimeout: 60_000 },
})
