-- The standard import types of batches are for operations that firms cannot call: firms need not see them.
update importfiletemplate t set extranetenabled = 'No', version = t.version + 1
from objectsubscription s
where s.object = 'ImportFileTemplate' and s.objectid = t.importfiletemplateid and t.extranetenabled = 'Self'
  and s.subscriberid in ('standard/import-type/attachmentgeneratebatch', 'standard/import-type/messagesendbatch',
    'standard/import-type/scorecalculatebatch');
