-- What git said of the checkout, apart from the series (`branch`): the branch, '' = the series' own or not known; and
-- whether tracked files differed from the commit.
ALTER TABLE runs ADD COLUMN git_branch TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN dirty INTEGER NOT NULL DEFAULT 0;
