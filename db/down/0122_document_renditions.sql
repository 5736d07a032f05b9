-- down: results of conversions; documents are converted again when they are asked for
drop table documentrendition;
