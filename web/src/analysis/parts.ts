/** The parts of an analysis that the viewer of graphs loads together. */
export { AnalysisPanel } from './AnalysisPanel'
export { OutcomeView } from './OutcomeView'
