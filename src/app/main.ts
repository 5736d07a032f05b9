import { serve } from './serve.ts';

serve(process.argv.slice(2));
