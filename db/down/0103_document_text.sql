-- down: the text of documents, which can be read again
drop trigger attachment_text_reach on attachment;
drop trigger attachment_text on attachment;
drop function casewright_document_text_reach();
drop function casewright_document_text_due();
drop function casewright_find_text(text, text, bigint[], integer);
drop table documentpage;
drop table documenttext;
drop function casewright_page_words(tsvector, text[], bigint, bigint);
