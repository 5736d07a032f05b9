/** The thread in which Liquid templates are rendered. */
import { parentPort } from 'node:worker_threads';
import { renderTask } from './render-task.ts';
import type { LiquidTask } from './liquid-task.ts';

parentPort?.on('message', (task: LiquidTask) => {
  parentPort?.postMessage(renderTask(task));
});
